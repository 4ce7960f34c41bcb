package import ScriptSyntax

/// A hook of an entity as a script writes it.
package struct HookText: Hashable, Sendable {
  package let hook: HookSyntax.Hook
  /// The lines, indented like those of a property.
  package let lines: [String]

  init(_ syntax: HookSyntax, in source: SourceText) {
    hook = syntax.hook
    let text = source.formattedText(in: syntax.range, after: "entity X {\n", before: "\n}")
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
