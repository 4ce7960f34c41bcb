import Foundation
import PredicateSyntax

extension AttributeExpression {
  /// Creates the expression of a derived attribute in a model: a key path, which may have a
  /// collection operator, `canonical:(key)`, or `now()`.
  ///
  /// - Throws: ``InvalidPredicateError`` if the text is not such an expression.
  package init(derivation text: String) throws(InvalidPredicateError) {
    let prefix = "canonical:("
    let isCanonical = text.hasPrefix(prefix) && text.hasSuffix(")")
    var path = isCanonical ? String(text.dropFirst(prefix.count).dropLast()) : text
    // An operator at the end of a derivation applies to the values before it.
    if ["@sum", "@min", "@max", "@avg"].contains(where: path.hasSuffix) { path += ".self" }
    // A predicate format has to be a comparison, so the derivation becomes its left side.
    let predicate = try FetchPredicate(format: "\(path) == nil")
    guard case .comparison(let comparison) = predicate.tree else {
      throw InvalidPredicateError(
        message: "'\(text)' is not an expression that a value can be derived from")
    }
    let operand = comparison.left
    self.init(text) { object in
      let compiler = PredicateCompiler(
        entity: nil, arguments: [], variables: [:],
        environment: object.graph?.environment ?? EvaluationEnvironment())
      let scope = PredicateScope(
        snapshot: object.snapshot, object: object.objectID, subject: nil, graph: object.graph)
      guard let value = try? compiler.compile(operand).value(in: scope).scalar else { return .null }
      guard isCanonical, let string = value.string else { return value }
      return .string(
        string.folding(
          options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil))
    }
  }
}
