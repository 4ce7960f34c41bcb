import FetchedResults
import ScriptSyntax

extension FetchedProperty {
  init(_ syntax: FetchedValueSyntax) {
    self.init(
      syntax.keyPath.text, function: syntax.function.map { Function($0) },
      name: syntax.alias?.text)
  }

  /// The value as a script writes it.
  var scriptText: String {
    let text = function.map { "\($0.rawValue)(\(keyPath))" } ?? keyPath
    return FetchedProperty(keyPath, function: function).name == name ? text : "\(text) as \(name)"
  }
}

extension FetchedProperty.Function {
  fileprivate init(_ function: FetchedValueSyntax.Function) {
    self =
      switch function {
      case .count: .count
      case .sum: .sum
      case .min: .min
      case .max: .max
      case .average: .average
      }
  }
}

extension RequestClauses {
  /// Whether a request with these clauses returns dictionaries.
  var asksForDictionaries: Bool {
    fetchedValues != nil || groups != nil || having != nil || isDistinct
  }
}
