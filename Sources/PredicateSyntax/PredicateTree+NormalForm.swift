extension PredicateTree: CustomStringConvertible {
  /// The predicate in Apple's normal form, with `%@` for each argument.
  package var description: String { normalForm { _ in "%@" } }

  /// Returns the predicate as `predicateFormat` has it.
  ///
  /// `==` for `=`, AND, OR and NOT in capitals, a compound within a compound
  /// in parentheses, strings in `"…"`, truth values as 1 and 0. Without
  /// arguments the text parses to an equal tree.
  ///
  /// - Parameters:
  ///   - argument: Gives the text for an argument, by its index.
  ///   - variable: Gives the text for a variable, by its name; nil for one that
  ///     is written by its name. Those of SUBQUERYs always are.
  ///   - variableKey: Gives the key for a variable after a dot, `a.$x`.
  ///   - keepsWords: Whether truth values keep the words by which they were
  ///     written, as in a text that quotes the predicate.
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

  /// Returns the value as it is in a predicate's normal form.
  package func normalForm(
    argument: @escaping (Int) -> String, keepsWords: Bool = false
  ) -> String {
    var printer = PredicatePrinter(argument: argument, keepsWords: keepsWords)
    printer.print(self)
    return printer.text
  }
}

extension PredicateTree.Options {
  /// The options as they are printed, `[cd]`; empty if there are none.
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
