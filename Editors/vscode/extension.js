// Connects Visual Studio Code with 'frc lsp'. Run 'npm install' in this folder first, which gets
// the language client.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = vscode.workspace.getConfiguration("frc");
  client = new LanguageClient(
    "frc",
    "frc",
    { command: settings.get("path"), args: ["lsp"] },
    {
      documentSelector: [{ language: "frc" }],
      initializationOptions: { live: settings.get("live"), pause: settings.get("pause") },
      synchronize: { configurationSection: "frc" },
    },
  );
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
