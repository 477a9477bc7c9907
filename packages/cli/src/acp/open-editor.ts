import type { AgentContext, ClientCapabilities } from '@agentclientprotocol/sdk/unstable'
import type { RunOptions } from '@argot/agent'
import type { EditorFiles, EditorTerminal } from '@argot/agent/internal'

export function openEditor(
  client: AgentContext,
  sessionId: string,
  { fs, terminal }: ClientCapabilities,
): RunOptions['editor'] {
  const files: EditorFiles = {
    ...(fs?.readTextFile === true && {
      // If the editor can't read a file, it is read from disk.
      read: (path: string) =>
        client.request('fs/read_text_file', { sessionId, path }).then(
          ({ content }) => (content.includes('\0') ? undefined : content),
          () => undefined,
        ),
    }),
    ...(fs?.writeTextFile === true && {
      async write(path: string, content: string) {
        await client.request('fs/write_text_file', { sessionId, path, content })
      },
    }),
  }
  return { files, ...(terminal === true && { terminal: openTerminal(client, sessionId) }) }
}

function openTerminal(client: AgentContext, sessionId: string): EditorTerminal {
  return {
    async start({ command: [command, ...args], cwd, env, outputLimit: outputByteLimit }) {
      const variables = Object.entries(env).map(([name, value]) => ({ name, value }))
      const handle = await client.createTerminal({ sessionId, command, args, cwd, env: variables, outputByteLimit })
      return {
        output: async () => (await handle.currentOutput()).output.slice(-outputByteLimit),
        exited: handle
          .waitForExit()
          .then(({ exitCode, signal }) => ({ exitCode: exitCode ?? null, signal: signal ?? null })),
        kill: async () => void (await handle.kill()),
        release: async () => void (await handle.release()),
      }
    },
  }
}
