import Foundation
import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// The answers that need only the text.
extension LanguageServer {
  func completion(_ params: PositionParams) throws -> CompletionList? {
    let document = try document(params.textDocument)
    return CompletionAnswer(analysis: analysis(of: document), text: document.text)
      .list(at: document.text.offset(of: params.position))
  }

  func hover(_ params: PositionParams) throws -> Hover? {
    let document = try document(params.textDocument)
    return HoverAnswer(
      analysis: analysis(of: document), text: document.text, live: document.live
    ).hover(at: document.text.offset(of: params.position))
  }

  func signatureHelp(_ params: PositionParams) throws -> SignatureHelp? {
    let document = try document(params.textDocument)
    return SignatureAnswer(analysis: analysis(of: document))
      .help(at: document.text.offset(of: params.position))
  }

  private func outline(_ id: DocumentID) throws -> ScriptOutline {
    let document = try document(id)
    return ScriptOutline(script: analysis(of: document).script, text: document.text)
  }

  func symbols(_ params: DocumentParams) throws -> [DocumentSymbol]? {
    try outline(params.textDocument).symbols
  }

  func folds(_ params: DocumentParams) throws -> [FoldingRange]? {
    try outline(params.textDocument).folds
  }

  func selections(_ params: SelectionParams) throws -> [SelectionRange]? {
    let outline = try outline(params.textDocument)
    return params.positions.map { position in
      let ranges = outline.selections(at: outline.text.offset(of: position))
      let place = TextRange(start: position, end: position)
      return SelectionRange(ranges[...]) ?? SelectionRange(ranges: place)
    }
  }

  func tokens(_ params: DocumentParams) throws -> SemanticTokens? {
    SemanticTokens(data: TokenColours.data(of: try document(params.textDocument).text))
  }

  func tokensInRange(_ params: RangeParams) throws -> SemanticTokens? {
    let text = try document(params.textDocument).text
    let end = max(0, min(params.range.end.line, text.lineCount - 1)) + 1
    let start = max(0, min(params.range.start.line, end))
    return SemanticTokens(data: TokenColours.data(of: text, in: start..<end))
  }

  // MARK: Names

  private func names(_ id: DocumentID) throws -> NameAnswers {
    let document = try document(id)
    return NameAnswers(document: document, analysis: analysis(of: document))
  }

  func definition(_ params: PositionParams) throws -> [Location]? {
    let names = try names(params.textDocument)
    let offset = names.document.text.offset(of: params.position)
    if let file = names.file(at: offset) { return [file] }
    return names.places(ofNameAt: offset, where: \.isDefinition).compactMap(names.location)
  }

  func references(_ params: ReferenceParams) throws -> [Location]? {
    let names = try names(params.textDocument)
    let withDefinition = params.context?.includeDeclaration ?? true
    return names.places(ofNameAt: names.document.text.offset(of: params.position)) { place in
      withDefinition || !place.isDefinition
    }.compactMap(names.location)
  }

  func highlights(_ params: PositionParams) throws -> [DocumentHighlight]? {
    let names = try names(params.textDocument)
    let own = names.analysis.source.name
    return names.places(ofNameAt: names.document.text.offset(of: params.position)) { place in
      place.source == own
    }.map { DocumentHighlight(range: names.document.text.range(of: $0.range)) }
  }

  func prepareRename(_ params: PositionParams) throws -> PreparedRename? {
    let names = try names(params.textDocument)
    return names.place(at: names.document.text.offset(of: params.position)).map { place in
      PreparedRename(
        range: names.document.text.range(of: place.range), placeholder: place.thing.name)
    }
  }

  func rename(_ params: RenameParams) throws -> WorkspaceEdit? {
    let names = try names(params.textDocument)
    return try names.rename(
      names.document.text.offset(of: params.position), to: params.newName)
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
