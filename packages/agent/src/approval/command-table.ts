/** Options as words separated by spaces. A letter is a short option (`-u`), a longer name a long one (`--unset`). */
export interface OptionTable {
  /** Options with a value: the rest of their word, or the next word. */
  values: string
  /** Options without a value. Options in neither list are read both ways. */
  flags?: string
}

/** How a program's arguments name another program to start. */
export interface Wrapper extends OptionTable {
  /** Number of words between the options and the program: a time limit, a folder, a user. */
  operands?: number
  /** `NAME=value` before the program sets its environment. */
  assignments?: true
  /** It starts a program only after one of these words: `uv run`. */
  subcommands?: string
  /** The value of this short or long option is split into separate words. */
  splits?: readonly [short: string, long: string]
  /** The program is between one of these words and `;` or `+`. */
  between?: string
}

/** Programs that start another program named in separate words. Shells take it as one text: see the docs. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  env: {
    values: 'u C a S unset chdir argv0 split-string',
    flags: 'i 0 v ignore-environment null debug list-signal-handling block-signal default-signal ignore-signal',
    assignments: true,
    splits: ['S', 'split-string'],
  },
  sudo: {
    values: 'u g h p C D R T r t U user group host prompt close-from chdir chroot command-timeout role type other-user',
    flags: 'A b E e H i K k l n P S s v askpass background preserve-env set-home login non-interactive stdin shell',
    assignments: true,
  },
  doas: { values: 'u C a', flags: 'n s L' },
  pkexec: { values: 'user', flags: 'disable-internal-agent keep-cwd' },
  gosu: { values: '', operands: 1 },
  'su-exec': { values: '', operands: 1 },
  runuser: { values: 'u g G s w user group supp-group shell whitelist-environment', flags: 'l m p f P' },
  setpriv: { values: 'reuid regid groups bounding-set inh-caps ambient-caps securebits selinux-label pdeathsig' },
  nice: { values: 'n adjustment' },
  ionice: { values: 'c n p P u class classdata', flags: 't ignore' },
  chrt: {
    values: 'T P D sched-runtime sched-period sched-deadline',
    flags: 'a b d e f i o r R v m batch fifo rr',
    operands: 1,
  },
  taskset: { values: '', flags: 'a c p', operands: 1 },
  prlimit: { values: 'p o pid output', flags: 'noheadings raw verbose' },
  numactl: { values: 'i N m C p interleave cpunodebind membind physcpubind preferred', flags: 'l a b localalloc' },
  cgexec: { values: 'g', flags: 'sticky' },
  nohup: { values: '' },
  setsid: { values: '', flags: 'c f w ctty fork wait' },
  stdbuf: { values: 'i o e input output error' },
  unbuffer: { values: '', flags: 'p' },
  timeout: { values: 'k s kill-after signal', flags: 'v f p preserve-status foreground verbose', operands: 1 },
  gtimeout: { values: 'k s kill-after signal', flags: 'v f p preserve-status foreground verbose', operands: 1 },
  time: { values: 'f o format output', flags: 'a p q v append portability quiet verbose' },
  gtime: { values: 'f o format output', flags: 'a p q v append portability quiet verbose' },
  chronic: { values: '', flags: 'e v' },
  faketime: { values: 'exclude-monotonic', flags: 'f m', operands: 1 },
  flock: {
    values: 'w E timeout conflict-exit-code wait',
    flags: 's x e n u o F shared exclusive nonblock',
    operands: 1,
  },
  chroot: { values: 'userspec groups', flags: 'skip-chdir', operands: 1 },
  fakeroot: { values: 'l s i b lib faked', flags: 'u h v' },
  eatmydata: { values: '' },
  unshare: { values: 'S G R w setuid setgid root wd propagation', flags: 'm u i n p U C T f r c' },
  nsenter: { values: 't S G r w target setuid setgid root wd', flags: 'm u i n p U C T a F e all' },
  firejail: { values: '' },
  bwrap: { values: '' },
  'systemd-run': {
    values: 'p u M H E slice unit property description uid gid nice working-directory setenv',
    flags: 't P q G r d user system scope pty pipe wait collect quiet same-dir remain-after-exit no-block',
  },
  'dbus-run-session': { values: 'config-file dbus-daemon' },
  'xvfb-run': { values: 'e f n p s w server-num error-file auth-file server-args', flags: 'a l auto-servernum' },
  caffeinate: { values: 't w', flags: 'd i m s u' },
  arch: { values: 'arch e d', flags: '3 6 c' },
  tini: { values: 'p e', flags: 's v w g h' },
  'dumb-init': { values: 'r rewrite', flags: 'c v single-child verbose' },
  command: { values: '', flags: 'p v V' },
  builtin: { values: '' },
  exec: { values: 'a', flags: 'c l' },
  busybox: { values: '' },
  toybox: { values: '' },
  xargs: {
    values: 'a d E I L n P s arg-file delimiter max-lines max-args max-procs max-chars process-slot-var',
    flags: '0 o p r t x null open-tty interactive no-run-if-empty verbose exit',
  },
  parallel: { values: 'j a d n N jobs arg-file delimiter max-args colsep joblog results', flags: '0 k u X m null' },
  find: { values: '', between: '-exec -execdir -ok -okdir' },
  fd: { values: '', between: '-x --exec -X --exec-batch' },
  watch: { values: 'n interval', flags: 'b c d e g p t x' },
  entr: { values: '', flags: 'a c d n p r s z' },
  strace: { values: 'e o p s u E P a b I O S X', flags: 'f F c C d D h i k q r t T v V w x y z' },
  ltrace: { values: 'e o p s u l a n x F A D', flags: 'c C f h i L r S t T V' },
  valgrind: { values: '' },
  ccache: { values: '' },
  distcc: { values: '' },
  proxychains: { values: 'f', flags: 'q' },
  proxychains4: { values: 'f', flags: 'q' },
  torsocks: { values: 'u p a P user pass address port', flags: 'i d isolate debug' },
  torify: { values: '', flags: 'v' },
  uv: { values: 'with p python extra group project directory', subcommands: 'run' },
  poetry: { values: 'C P directory project', subcommands: 'run' },
  pipenv: { values: '', subcommands: 'run' },
  pdm: { values: 'p project', subcommands: 'run' },
  hatch: { values: 'e p env project', subcommands: 'run' },
  conda: { values: 'n p name prefix cwd', subcommands: 'run' },
  bundle: { values: 'gemfile', subcommands: 'exec' },
  rbenv: { values: '', subcommands: 'exec' },
  pyenv: { values: '', subcommands: 'exec' },
  asdf: { values: '', subcommands: 'exec' },
  mise: { values: 'C cd', subcommands: 'exec x' },
  direnv: { values: '', subcommands: 'exec', operands: 1 },
  npm: { values: 'p package w workspace prefix C', subcommands: 'exec x' },
  pnpm: { values: 'C dir F filter', subcommands: 'exec' },
  npx: { values: 'p package w workspace', flags: 'y yes no q quiet' },
}

/** Options before the subcommand that apply to all of the program's work. */
export interface GlobalOptions extends OptionTable {
  /** The listed options may also come after the subcommand, with the same meaning. */
  anywhere?: true
  /** `+nightly` chooses a version of the program. */
  plus?: true
}

const kube: GlobalOptions = {
  values:
    'n s v namespace context cluster user server kubeconfig as as-group as-uid token cache-dir certificate-authority ' +
    'client-certificate client-key request-timeout tls-server-name profile profile-output username password',
  flags: 'insecure-skip-tls-verify match-server-version warnings-as-errors disable-compression',
  anywhere: true,
}
const containers: GlobalOptions = {
  values: 'H c l host context config log-level tlscacert tlscert tlskey connection url identity root runroot',
  flags: 'D debug tls tlsverify remote r',
}
const compose: GlobalOptions = {
  values: 'f p file project-name project-directory profile env-file ansi parallel progress H host',
  flags: 'compatibility dry-run all-resources',
}
const terraform: GlobalOptions = { values: 'chdir' }

/** Well-known programs with subcommands. Two words are a subcommand with its own options. */
export const globalOptions: Readonly<Record<string, GlobalOptions>> = {
  git: {
    values: 'C c git-dir work-tree namespace config-env super-prefix attr-source shallow-file',
    flags:
      'p P h v paginate no-pager bare no-replace-objects no-lazy-fetch no-optional-locks no-advice literal-pathspecs ' +
      'glob-pathspecs noglob-pathspecs icase-pathspecs',
  },
  hg: { values: 'R repository cwd config encoding encodingmode', flags: 'y q v noninteractive quiet verbose debug' },
  svn: { values: 'username password config-dir config-option', flags: 'non-interactive trust-server-cert' },
  gh: { values: 'R repo hostname', anywhere: true },
  glab: { values: 'R repo', anywhere: true },
  npm: {
    values: 'C w prefix workspace registry userconfig globalconfig cache loglevel otp',
    flags: 's q d workspaces silent quiet',
    anywhere: true,
  },
  pnpm: { values: 'C F dir filter loglevel reporter', flags: 'r w recursive workspace-root silent', anywhere: true },
  yarn: { values: 'cwd', flags: 's silent verbose' },
  bun: { values: 'cwd c config' },
  deno: { values: 'L log-level', flags: 'q quiet' },
  cargo: {
    values: 'C Z color config manifest-path target-dir',
    flags: 'v q verbose quiet locked offline frozen',
    plus: true,
  },
  go: { values: 'C' },
  pip: { values: 'proxy log python retries timeout cert client-cert cache-dir', flags: 'q v isolated no-input' },
  pip3: { values: 'proxy log python retries timeout cert client-cert cache-dir', flags: 'q v isolated no-input' },
  uv: { values: 'directory project config-file cache-dir color', flags: 'q v n offline', anywhere: true },
  poetry: { values: 'C P directory project', flags: 'n q v no-interaction no-plugins' },
  make: { values: 'C f I j l o W directory file makefile include-dir jobs', flags: 'B e i k n q r R s S t w' },
  docker: containers,
  podman: containers,
  nerdctl: { ...containers, values: `${containers.values} n a namespace address` },
  'docker compose': compose,
  'podman compose': compose,
  'docker-compose': compose,
  kubectl: kube,
  oc: kube,
  k3s: { values: 'debug' },
  helm: {
    values: `${kube.values} kube-context kube-apiserver kube-token registry-config repository-config repository-cache`,
    flags: 'debug kube-insecure-skip-tls-verify',
    anywhere: true,
  },
  terraform,
  tofu: terraform,
  pulumi: { values: 'C s cwd stack color', flags: 'non-interactive', anywhere: true },
  aws: {
    values: 'profile region endpoint-url output query color ca-bundle cli-read-timeout cli-connect-timeout',
    flags: 'debug no-verify-ssl no-paginate no-sign-request no-cli-pager',
    anywhere: true,
  },
  gcloud: {
    values: 'project account configuration format verbosity billing-project',
    flags: 'q quiet',
    anywhere: true,
  },
  az: { values: 'subscription output o query', flags: 'debug verbose only-show-errors', anywhere: true },
  flyctl: { values: 'a c t app config access-token', anywhere: true },
  fly: { values: 'a c t app config access-token', anywhere: true },
  heroku: { values: 'a r app remote', anywhere: true },
  systemctl: { values: 'H M t p n o host machine type property root lines output', flags: 'q f a l r user system' },
  apt: { values: 'o c t option config-file target-release', flags: 'y q s d assume-yes quiet', anywhere: true },
  'apt-get': { values: 'o c t option config-file target-release', flags: 'y q s d assume-yes quiet', anywhere: true },
  dnf: {
    values: 'c d e x R installroot releasever setopt repo enablerepo disablerepo',
    flags: 'y q v',
    anywhere: true,
  },
}

/** Programs that act as many: the name they are started under decides which. */
export const multiCallPrograms: ReadonlySet<string> = new Set(
  'busybox toybox coreutils uutils rustup snap volta-shim mise ccache distcc systemctl kmod lvm mtools'.split(' '),
)
