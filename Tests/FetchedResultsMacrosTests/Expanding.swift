import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import MacroExpansion

/// The expansion of a source text, with its messages.
struct Expanding {
  let expanded: String
  let diagnostics: [Diagnostic]
  private let source: SourceFileSyntax

  init(_ text: String) {
    let source = Parser.parse(source: text)
    let context = BasicMacroExpansionContext(
      sourceFiles: [source: .init(moduleName: "Tests", fullFilePath: "Test.swift")])
    self.source = source
    let conformance: [TypeSyntax] = ["ManagedEntity", "ManagedSubentity"]
    expanded =
      source.expand(
        macroSpecs: [
          "Managed": MacroSpec(type: ManagedMacro.self, conformances: conformance),
          "Attribute": MacroSpec(type: MarkerMacro.self),
          "Relationship": MacroSpec(type: MarkerMacro.self),
          "Transient": MacroSpec(type: MarkerMacro.self),
          "_ManagedAttribute": MacroSpec(type: AttributeAccessorMacro.self),
          "_ManagedToOne": MacroSpec(type: ToOneAccessorMacro.self),
          "_ManagedToMany": MacroSpec(type: ToManyAccessorMacro.self),
        ],
        contextGenerator: { _ in context }, indentationWidth: .spaces(2)
      ).description
    diagnostics = context.diagnostics
  }

  /// Each message with the text at its place.
  var messages: [String] {
    diagnostics.map { "\($0.node.trimmedDescription): \($0.message)" }
  }

  /// The text after applying the first offered fix.
  var fixed: String? {
    guard let fix = diagnostics.first?.fixIts.first else { return nil }
    return FixItApplier.apply(fix, to: source)
  }
}

/// Applies a fix to a text.
private enum FixItApplier {
  static func apply(_ fix: FixIt, to source: SourceFileSyntax) -> String {
    var text = Array(source.description.utf8)
    for change in fix.changes {
      guard case .replace(let old, let new) = change else { continue }
      let (start, end) = (
        old.positionAfterSkippingLeadingTrivia.utf8Offset,
        old.endPositionBeforeTrailingTrivia.utf8Offset
      )
      text.replaceSubrange(start..<end, with: Array(new.trimmedDescription.utf8))
    }
    return String(decoding: text, as: UTF8.self)
  }
}
