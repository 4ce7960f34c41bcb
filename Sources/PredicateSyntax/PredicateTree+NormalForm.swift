extension PredicateTree: CustomStringConvertible {
  /// The predicate in Apple's normal form, with `%@` for each argument.
  package var description: String { normalForm { _ in "%@" } }

  /// Returns the predicate in the form of `predicateFormat`.
  ///
  /// It has `==` for `=`, AND, OR and NOT in capitals, parentheses around a compound within a
  /// compound, strings in `"…"`, and Booleans as 1 and 0. If there are no arguments, the text
  /// parses to an equal tree.
  ///
  /// - Parameters:
  ///   - argument: Returns the text for an argument, by its index.
  ///   - variable: Returns the text for a variable, by its name; nil to write the name. Variables
  ///     of SUBQUERYs are always written by name.
  ///   - variableKey: Returns the key for a variable after a dot, `a.$x`.
  ///   - keepsWords: Whether Booleans keep the words they were written as, for a text that quotes
  ///     the predicate.
  /// - Complexity: O(*n*) in the size of the tree.
  package func normalForm(
    argument: @escaping (Int) -> String,
    variable: @escaping (String) -> String? = { _ in nil },
    variableKey: @escaping (String) -> String? = { _ in nil }, keepsWords: Bool = false
  ) -> String {
    var printer = PredicatePrinter(
      argument: argument, variable: variable, variableKey: variableKey, keepsWords: keepsWords)
    printer.print(self)
    return printer.text
  }
}

extension OperandTree: CustomStringConvertible {
  /// The value in Apple's normal form, with `%@` for each argument.
  package var description: String { normalForm { _ in "%@" } }

  /// Returns the value in the normal form.
  package func normalForm(
    argument: @escaping (Int) -> String, keepsWords: Bool = false
  ) -> String {
    var printer = PredicatePrinter(argument: argument, keepsWords: keepsWords)
    printer.print(self)
    return printer.text
  }
}

extension PredicateTree.Options {
  /// The options as they are printed, such as `[cd]`; empty if there are none.
  var normalForm: String {
    guard !isEmpty else { return "" }
    var text = "["
    if contains(.caseInsensitive) { text += "c" }
    if contains(.diacriticInsensitive) { text += "d" }
    if contains(.normalized) { text += "n" }
    if contains(.locale) { text += "l" }
    return text + "]"
  }
}
