import ScriptRuntime
import ScriptSyntax

/// The answers that need only the text.
extension LanguageServer {
  func completion(_ params: PositionParams) throws -> CompletionList? {
    let document = try document(params.textDocument)
    let offset = document.text.offset(of: params.position)
    guard let analysis = analysis(of: document).session(at: offset) else { return nil }
    return CompletionAnswer(analysis: analysis, text: document.text).list(at: offset)
  }

  func hover(_ params: PositionParams) throws -> Hover? {
    let document = try document(params.textDocument)
    let offset = document.text.offset(of: params.position)
    guard let analysis = analysis(of: document).session(at: offset) else { return nil }
    return HoverAnswer(
      analysis: analysis, text: document.text, live: document.live,
      rulesPage: host.rulesPage(around: document.path)
    ).hover(at: offset)
  }

  func signatureHelp(_ params: PositionParams) throws -> SignatureHelp? {
    let document = try document(params.textDocument)
    let offset = document.text.offset(of: params.position)
    guard let analysis = analysis(of: document).session(at: offset) else { return nil }
    return SignatureAnswer(analysis: analysis).help(at: offset)
  }

  /// Returns the outline of a script, or those of the sessions of a Markdown file, in order.
  private func outlines(_ id: DocumentID) throws -> [ScriptOutline] {
    let document = try document(id)
    return analysis(of: document).parts.map { part in
      ScriptOutline(script: part.script, start: part.start, text: document.text)
    }
  }

  func symbols(_ params: DocumentParams) throws -> [DocumentSymbol]? {
    try outlines(params.textDocument).flatMap(\.symbols)
  }

  func folds(_ params: DocumentParams) throws -> [FoldingRange]? {
    try outlines(params.textDocument).flatMap(\.folds)
  }

  func selections(_ params: SelectionParams) throws -> [SelectionRange]? {
    let text = try document(params.textDocument).text
    let outlines = try outlines(params.textDocument)
    return params.positions.map { position in
      let offset = text.offset(of: position)
      let ranges = outlines.last { $0.start <= offset }?.selections(at: offset) ?? []
      let place = TextRange(start: position, end: position)
      return SelectionRange(ranges[...]) ?? SelectionRange(ranges: place)
    }
  }

  func tokens(_ params: DocumentParams) throws -> SemanticTokens? {
    let document = try document(params.textDocument)
    return SemanticTokens(data: TokenColours.data(of: document.scripts, at: document.text))
  }

  func tokensInRange(_ params: RangeParams) throws -> SemanticTokens? {
    let document = try document(params.textDocument)
    let text = document.text
    let end = max(0, min(params.range.end.line, text.lineCount - 1)) + 1
    let start = max(0, min(params.range.start.line, end))
    return SemanticTokens(
      data: TokenColours.data(of: document.scripts, at: text, in: start..<end))
  }

  // MARK: Names

  /// Returns the names around a place, with its offset; nil for a place that is not in a script.
  private func names(
    _ id: DocumentID, _ position: Position
  ) throws -> (names: NameAnswers, offset: Int)? {
    let document = try document(id)
    let offset = document.text.offset(of: position)
    return analysis(of: document).session(at: offset).map { analysis in
      let names = NameAnswers(
        document: document, analysis: analysis,
        includers: { self.includers(of: $0, around: document, except: analysis) }, uri: uri(of:))
      return (names, offset)
    }
  }

  /// Returns what is known of the scripts of the project that include one of some files, which are
  /// named by their real paths, with the open documents; nil if the project has too many files.
  ///
  /// - Parameter asked: A script that is left out.
  private func includers(
    of files: Set<String>, around document: Document, except asked: Analysis
  ) -> [Analysis]? {
    let open = documents.values.sorted { $0.path < $1.path }.map(analysis(of:))
    let found = open.filter { !$0.included.isDisjoint(with: files) }.flatMap(\.includingParts)
      .filter { $0 !== asked && !$0.included.isDisjoint(with: files) }
    guard let scripts = host.scripts(around: document.path) else { return nil }
    let known = Set(documents.values.map(\.realPath))
    let rest = scripts.filter { !known.contains(host.realPath(of: $0.name)) }
    return found
      + Analysis.including(files, among: rest, openFiles(ofScriptAt:))
  }

  func definition(_ params: PositionParams) throws -> [Location]? {
    guard let (names, offset) = try names(params.textDocument, params.position) else { return [] }
    if let file = names.file(at: offset) { return [file] }
    return names.definitions(ofNameAt: offset)
  }

  func references(_ params: ReferenceParams) throws -> [Location]? {
    guard let (names, offset) = try names(params.textDocument, params.position) else { return [] }
    let withDefinition = params.context?.includeDeclaration ?? true
    return names.references(ofNameAt: offset) { withDefinition || !$0.isDefinition }
  }

  func highlights(_ params: PositionParams) throws -> [DocumentHighlight]? {
    guard let (names, offset) = try names(params.textDocument, params.position) else { return [] }
    let own = names.analysis.source.name
    return names.places(ofNameAt: offset) { $0.source == own }.map {
      DocumentHighlight(range: names.document.text.range(of: $0.range))
    }
  }

  func prepareRename(_ params: PositionParams) throws -> PreparedRename? {
    guard let (names, offset) = try names(params.textDocument, params.position) else { return nil }
    return names.place(at: offset).map { place in
      PreparedRename(
        range: names.document.text.range(of: place.range), placeholder: place.thing.name)
    }
  }

  func rename(_ params: RenameParams) throws -> WorkspaceEdit? {
    guard let (names, offset) = try names(params.textDocument, params.position) else {
      throw ResponseError(.requestFailed, "there is no name here")
    }
    return try names.rename(offset, to: params.newName, test: host.test(of:))
  }

  // MARK: Formatting

  private func layout(_ id: DocumentID) throws -> Formatting {
    let document = try document(id)
    return Formatting(script: analysis(of: document).script, text: document.text)
  }

  func formatting(_ params: DocumentParams) throws -> [TextEdit]? {
    try layout(params.textDocument).edits()
  }

  func rangeFormatting(_ params: RangeParams) throws -> [TextEdit]? {
    let range = params.range
    guard range.start.line <= range.end.line else { return [] }
    // A range that ends before the first character of a line does not contain it.
    let isBefore = range.end.character == 0 && range.end.line > range.start.line
    return try layout(params.textDocument).edits(
      in: range.start.line...(isBefore ? range.end.line - 1 : range.end.line))
  }

  func formattingAfterLineEnd(_ params: PositionParams) throws -> [TextEdit]? {
    try layout(params.textDocument).edits(afterLineEndAt: params.position)
  }

  // MARK: Diagnostics

  func diagnostics(_ params: DocumentParams) throws -> DiagnosticReport? {
    let document = try document(params.textDocument)
    return DiagnosticReport(
      resultId: nil,
      items: DiagnosticItems(document: document, analysis: analysis(of: document)).items)
  }

  func actions(_ params: RangeParams) throws -> [CodeAction]? {
    let document = try document(params.textDocument)
    let wanted = document.text.range(of: params.range)
    let items = DiagnosticItems(document: document, analysis: analysis(of: document))
    // A cursor anywhere in the line of a problem asks for its fix.
    let text = document.text
    let lines = text.line(of: wanted.lowerBound)...text.line(of: wanted.upperBound)
    let fixes = items.fixable.filter { fix in
      lines.overlaps(fix.item.range.start.line...fix.item.range.end.line)
    }.map { fix in
      CodeAction(
        title: fix.title, kind: "quickfix", diagnostics: [fix.item], isPreferred: true,
        edit: WorkspaceEdit(changes: [document.uri: [fix.edit]]))
    }
    return fixes + acceptances(in: document, wanted)
  }
}
