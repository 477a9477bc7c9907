# The command `argot`, for `argot serve` and `argot worker`. docs/scale-out.md and docs/containers.md explain the settings. This file
# has not been built yet: there was no Docker engine where it was written.
FROM node:24-bookworm-slim AS build
WORKDIR /argot
COPY . .
RUN npm install && npm run build && npm pack --pack-destination /tmp -w packages/cli

FROM node:24-bookworm-slim
# bubblewrap confines the programs that tools start. It needs user namespaces, which Docker's default profile forbids: docs/security.md.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/*
COPY --from=build /tmp/argot-cli-*.tgz /tmp/
RUN npm install --global /tmp/argot-cli-*.tgz && rm /tmp/argot-cli-*.tgz \
  && mkdir /documents /files && chown node:node /documents /files
USER node
WORKDIR /documents
EXPOSE 4176
ENTRYPOINT ["argot"]
CMD ["serve", "/documents", "--host", "0.0.0.0", "--port", "4176"]
