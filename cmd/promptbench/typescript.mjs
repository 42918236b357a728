// A server of the TypeScript SDK's on stdio, with the prompts of a file. It sets the
// handlers of the SDK's inner Server, which is faster than its McpServer.

import { readFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";

const prompts = JSON.parse(readFileSync(process.argv[2], "utf8"));
const entries = prompts.map((prompt) => JSON.parse(prompt.Entry));
const byName = new Map(prompts.map((prompt, i) => [prompt.ID, { prompt, entry: entries[i] }]));

const server = new Server({ name: "peer", version: "1.0.0" }, { capabilities: { prompts: {} } });

server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: entries }));

server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
  const found = byName.get(params.name);
  if (!found) throw new McpError(ErrorCode.InvalidParams, `no prompt ${params.name}`);
  const { prompt, entry } = found;
  const values = prompt.Arguments.map((argument) => {
    const value = params.arguments?.[argument.Name];
    if (value) {
      if (argument.Choices && !argument.Choices.includes(value)) {
        throw new McpError(ErrorCode.InvalidParams, `${argument.Name} must be one of ${argument.Choices}`);
      }
      return value;
    }
    if (argument.Required) throw new McpError(ErrorCode.InvalidParams, `${argument.Name} is missing`);
    return argument.Default || "Not provided";
  });
  return {
    _meta: entry._meta,
    description: prompt.Description,
    messages: prompt.Messages.map((message) => ({
      role: message.Role,
      content: {
        type: "text",
        text: message.Segments.map((s) => (s.Argument === 0 ? s.Text : values[s.Argument - 1])).join(""),
      },
    })),
  };
});

await server.connect(new StdioServerTransport());
