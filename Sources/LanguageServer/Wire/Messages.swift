/// The parts of the protocol's messages that the server reads or writes, with the protocol's names.

// MARK: - Lifecycle

struct InitializeParams: Decodable {
  struct Capabilities: Decodable {
    struct General: Decodable { let positionEncodings: [String]? }
    struct TextDocument: Decodable {
      struct Rename: Decodable { let prepareSupport: Bool? }
      let diagnostic: Nothing?
      let rename: Rename?
    }
    struct Refresh: Decodable { let refreshSupport: Bool? }
    struct Watching: Decodable { let dynamicRegistration: Bool? }
    struct Workspace: Decodable {
      let inlayHint: Refresh?
      let codeLens: Refresh?
      let diagnostics: Refresh?
      let configuration: Bool?
      let didChangeWatchedFiles: Watching?
    }
    struct Window: Decodable {
      struct ShowDocument: Decodable { let support: Bool? }
      let workDoneProgress: Bool?
      let showDocument: ShowDocument?
    }
    let general: General?
    let textDocument: TextDocument?
    let workspace: Workspace?
    let window: Window?
  }
  let capabilities: Capabilities
  let initializationOptions: Settings?

  private enum Key: CodingKey { case capabilities, initializationOptions }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    capabilities = try fields.decode(Capabilities.self, forKey: .capabilities)
    // Options that are no settings, such as the empty list that Lua has for an empty table, must not
    // keep the server from starting.
    initializationOptions = try? fields.decode(Settings.self, forKey: .initializationOptions)
  }
}

/// What a user can set, under `frc` in the settings of the client.
package struct Settings: Codable, Equatable, Sendable {
  /// Whether scripts run in the background.
  package var live: Bool?
  /// The pause after an edit, in milliseconds, before the script runs.
  package var pause: Int?
}

struct ConfigurationParams: Decodable {
  struct Sections: Decodable { let frc: Settings? }
  let settings: Sections?
}

struct ConfigurationRequest: Encodable {
  struct Item: Encodable { let section: String }
  let items: [Item]
}

/// The one capability that is registered later: to be told about changed files.
struct Registrations: Encodable {
  struct Watcher: Encodable { let globPattern: String }
  struct Options: Encodable { let watchers: [Watcher] }
  struct Registration: Encodable {
    let id = "frc-files"
    let method = "workspace/didChangeWatchedFiles"
    let registerOptions: Options
  }
  let registrations: [Registration]

  init(_ watchers: [Watcher]) {
    registrations = [Registration(registerOptions: Options(watchers: watchers))]
  }
}

struct InitializeResult: Encodable {
  struct Info: Encodable {
    let name: String
    let version: String
  }
  let capabilities: ServerCapabilities
  let serverInfo: Info
}

struct ServerCapabilities: Encodable {
  struct Sync: Encodable {
    let openClose = true
    /// Incremental.
    let change = 2
    let save = true
  }
  struct Completion: Encodable {
    let triggerCharacters = [".", "(", "\"", "/", "$", "@", " "]
    let resolveProvider = false
  }
  struct Signature: Encodable {
    let triggerCharacters = ["(", ","]
  }
  struct Diagnostics: Encodable {
    let identifier = "frc"
    let interFileDependencies = true
    let workspaceDiagnostics = false
  }
  struct Tokens: Encodable {
    struct Legend: Encodable {
      let tokenTypes: [String]
      let tokenModifiers: [String] = []
    }
    let legend: Legend
    let full = true
    let range = true
  }
  struct OnType: Encodable {
    let firstTriggerCharacter = "\n"
  }
  struct Rename: Encodable { let prepareProvider = true }
  struct Actions: Encodable { let codeActionKinds = ["quickfix"] }
  struct Lens: Encodable { let resolveProvider = false }
  struct Commands: Encodable { let commands: [String] }

  let positionEncoding: PositionEncoding
  let textDocumentSync = Sync()
  let completionProvider = Completion()
  let signatureHelpProvider = Signature()
  let hoverProvider = true
  let definitionProvider = true
  let referencesProvider = true
  let documentHighlightProvider = true
  let renameProvider = Rename()
  let documentSymbolProvider = true
  let foldingRangeProvider = true
  let selectionRangeProvider = true
  let documentFormattingProvider = true
  let documentRangeFormattingProvider = true
  let documentOnTypeFormattingProvider = OnType()
  let codeActionProvider = Actions()
  let inlayHintProvider = true
  let codeLensProvider = Lens()
  let diagnosticProvider = Diagnostics()
  let semanticTokensProvider: Tokens
  let executeCommandProvider: Commands
}

// MARK: - Documents

struct TextDocumentItem: Decodable {
  let uri: String
  let version: Int
  let text: String
}

struct OpenParams: Decodable { let textDocument: TextDocumentItem }

struct DocumentID: Codable {
  let uri: String
}

struct VersionedDocumentID: Decodable {
  let uri: String
  let version: Int?
}

struct ContentChange: Decodable {
  let range: TextRange?
  let text: String
}

struct ChangeParams: Decodable {
  let textDocument: VersionedDocumentID
  let contentChanges: [ContentChange]
}

struct DocumentParams: Decodable { let textDocument: DocumentID }

struct PositionParams: Decodable {
  let textDocument: DocumentID
  let position: Position
}

struct ReferenceParams: Decodable {
  struct Context: Decodable { let includeDeclaration: Bool }
  let textDocument: DocumentID
  let position: Position
  let context: Context?
}

struct RangeParams: Decodable {
  let textDocument: DocumentID
  let range: TextRange
}

struct RenameParams: Decodable {
  let textDocument: DocumentID
  let position: Position
  let newName: String
}

struct SelectionParams: Decodable {
  let textDocument: DocumentID
  let positions: [Position]
}

struct CancelParams: Decodable { let id: RequestID }

struct ExecuteParams: Decodable {
  struct Argument: Decodable {
    let uri: String
    let line: Int?
    let version: Int?
  }
  let command: String
  let arguments: [Argument]?
}

// MARK: - Answers

struct Location: Encodable, Hashable {
  let uri: String
  let range: TextRange
}

struct TextEdit: Encodable, Hashable {
  let range: TextRange
  let newText: String
}

struct DiagnosticItem: Encodable, Hashable {
  struct Related: Encodable, Hashable {
    let location: Location
    let message: String
  }
  /// 1 for an error, 2 for a warning, 3 for information.
  let range: TextRange
  let severity: Int
  var code: String?
  let source: String
  let message: String
  var relatedInformation: [Related]?
}

struct PublishParams: Encodable {
  let uri: String
  let version: Int?
  let diagnostics: [DiagnosticItem]
}

struct DiagnosticReport: Encodable {
  let kind = "full"
  let resultId: String?
  let items: [DiagnosticItem]
}

struct CompletionList: Encodable {
  let isIncomplete: Bool
  let items: [CompletionItem]
}

struct MarkupContent: Encodable, Hashable {
  let kind: String
  let value: String

  static func markdown(_ value: String) -> MarkupContent {
    MarkupContent(kind: "markdown", value: value)
  }
}

struct CompletionItem: Encodable {
  let label: String
  let kind: Int
  var detail: String?
  var documentation: MarkupContent?
  let sortText: String
  let filterText: String
  let textEdit: TextEdit
}

struct Hover: Encodable {
  let contents: MarkupContent
  let range: TextRange?
}

struct SignatureHelp: Encodable {
  struct Signature: Encodable {
    struct Parameter: Encodable { let label: String }
    let label: String
    var documentation: MarkupContent?
    let parameters: [Parameter]
  }
  let signatures: [Signature]
  let activeSignature = 0
  let activeParameter: Int
}

struct SemanticTokens: Encodable { let data: [Int] }

struct FoldingRange: Encodable, Hashable {
  let startLine: Int
  let endLine: Int
  let kind: String?
}

struct DocumentSymbol: Encodable {
  let name: String
  var detail: String?
  let kind: Int
  let range: TextRange
  let selectionRange: TextRange
  var children: [DocumentSymbol]?
}

/// A range and the larger ones around it, the innermost first.
struct SelectionRange: Encodable {
  private let ranges: ArraySlice<TextRange>

  /// The most ranges that are sent: each is within the next one, and Foundation writes no JSON of
  /// more than 512 levels.
  private static let most = 256

  /// Leaves out large ranges if there are too many, but not the largest one.
  init?(_ ranges: ArraySlice<TextRange>) {
    guard !ranges.isEmpty else { return nil }
    self.ranges =
      ranges.count > Self.most ? ranges.prefix(Self.most - 1) + ranges.suffix(1) : ranges
  }

  /// A range with nothing around it.
  init(ranges range: TextRange) { ranges = [range] }

  private enum Key: CodingKey { case range, parent }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encodeIfPresent(ranges.first, forKey: .range)
    try fields.encodeIfPresent(SelectionRange(ranges.dropFirst()), forKey: .parent)
  }
}

struct DocumentHighlight: Encodable {
  let range: TextRange
}

struct WorkspaceEdit: Encodable {
  let changes: [String: [TextEdit]]
}

struct PreparedRename: Encodable {
  let range: TextRange
  let placeholder: String
}

struct CodeAction: Encodable {
  let title: String
  let kind: String
  var diagnostics: [DiagnosticItem]?
  var isPreferred: Bool?
  let edit: WorkspaceEdit
}

struct InlayHint: Encodable {
  let position: Position
  let label: String
  var tooltip: String?
  let paddingLeft = true
}

struct Command: Encodable {
  struct Argument: Codable, Hashable {
    let uri: String
    let line: Int?
  }
  let title: String
  let command: String
  let arguments: [Argument]
}

struct CodeLens: Encodable {
  let range: TextRange
  let command: Command
}

// MARK: - Of the server

struct ShowMessageParams: Encodable {
  /// 1 for an error, 2 for a warning, 3 for information.
  let type: Int
  let message: String
}

struct ShowDocumentParams: Encodable {
  let uri: String
  let external: Bool
}

struct ProgressCreateParams: Encodable { let token: String }

struct ProgressParams: Encodable {
  struct Value: Encodable {
    let kind: String
    var title: String?
    var message: String?
  }
  let token: String
  let value: Value
}
