import Basics

/// Writes a tree in Apple's normal form.
struct PredicatePrinter {
  let argument: (Int) -> String
  /// Returns the text of a variable's value; nil to write the variable's name.
  let variable: (String) -> String?
  /// Returns the key for a variable after a dot.
  let variableKey: (String) -> String?
  /// Returns the text for a key path that Apple's parser refuses; nil to write its keys.
  let keyPath: (String) -> String?
  /// Returns the text for a string that Apple's parser reads differently; nil to write it.
  let string: (String) -> String?
  /// Whether Booleans are written as their words, and not as 1 and 0.
  let keepsWords: Bool
  private(set) var text = ""
  /// The variables of the enclosing SUBQUERYs, which have no fixed value.
  private var bound: [String] = []

  init(
    argument: @escaping (Int) -> String,
    variable: @escaping (String) -> String? = { _ in nil },
    variableKey: @escaping (String) -> String? = { _ in nil },
    keyPath: @escaping (String) -> String? = { _ in nil },
    string: @escaping (String) -> String? = { _ in nil },
    keepsWords: Bool = false
  ) {
    self.argument = argument
    self.variable = variable
    self.variableKey = variableKey
    self.keyPath = keyPath
    self.string = string
    self.keepsWords = keepsWords
  }

  private func value(of name: String) -> String? { bound.contains(name) ? nil : variable(name) }

  // MARK: Predicates

  mutating func print(_ tree: PredicateTree) {
    switch tree {
    case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .and(let parts): printCompound(parts, " AND ", empty: true)
    case .or(let parts): printCompound(parts, " OR ", empty: false)
    case .not(let part):
      text += "NOT "
      printPart(part)
    case .comparison(let comparison): print(comparison)
    }
  }

  private mutating func printCompound(
    _ parts: [PredicateTree], _ separator: String, empty: Bool
  ) {
    guard !parts.isEmpty else { return print(.constant(empty)) }
    guard parts.count > 1 else { return print(parts[0]) }
    for (index, part) in parts.enumerated() {
      if index > 0 { text += separator }
      printPart(part)
    }
  }

  /// Writes an operand of a compound, in parentheses if it is a compound itself.
  private mutating func printPart(_ part: PredicateTree) {
    switch part {
    case .and, .or, .not:
      text += "("
      print(part)
      text += ")"
    case .constant, .comparison: print(part)
    }
  }

  private mutating func print(_ comparison: PredicateTree.Comparison) {
    if let modifier = comparison.modifier { text += modifier.rawValue + " " }
    print(comparison.left)
    text += " " + comparison.comparator.rawValue + comparison.options.normalForm + " "
    print(comparison.right)
  }

  // MARK: Values

  mutating func print(_ operand: OperandTree) {
    switch operand.kind {
    case .null: text += "nil"
    case .boolean(let value, let word): text += keepsWords ? word : value ? "1" : "0"
    case .integer(let value): text += String(value)
    case .real(_, let digits): text += digits
    case .string(let value):
      text += (value.isPlainInPredicate ? nil : string(value)) ?? value.quotedForPredicate
    case .aggregate(let elements): printList("{", elements, "}")
    case .evaluatedObject: text += "SELF"
    case .anyKey: text += "ANYKEY"
    case .variable(let name): text += value(of: name) ?? "$" + name
    case .argument(let index): text += argument(index)
    case .key, .collectionOperator, .argumentKeyPath, .variableKeyPath: printPath(operand.kind)
    case .negation(let part):
      text += "-"
      printNested(part, wrapsNumbers: true)
    case .arithmetic(let left, let sign, let right): printBinary(left, sign.rawValue, right)
    case .setOperation(let left, let sign, let right): printBinary(left, sign.rawValue, right)
    case .assignment(let name, let value):
      text += "$" + name + " := "
      printNested(value)
    case .index(let base, let index): printIndex(base, index)
    case .function, .call, .subquery, .cast, .ternary: printCall(operand.kind)
    }
  }

  private mutating func printBinary(_ left: OperandTree, _ sign: String, _ right: OperandTree) {
    printNested(left)
    text += " " + sign + " "
    printNested(right)
  }

  private mutating func printIndex(_ base: OperandTree, _ index: OperandTree.Index) {
    printBase(base)
    text += "["
    switch index {
    case .first: text += "FIRST"
    case .last: text += "LAST"
    case .size: text += "SIZE"
    case .at(let operand): print(operand)
    }
    text += "]"
  }

  private mutating func printCall(_ kind: OperandTree.Kind) {
    switch kind {
    case .function(let name, let arguments): printList(name + "(", arguments, ")")
    case .call(let operand, let selector, let arguments):
      printList("FUNCTION(", [operand, selector] + arguments, ")")
    case .cast(let value, let type): printList("CAST(", [value, type], ")")
    case .subquery(let collection, let variable, let predicate):
      text += "SUBQUERY("
      print(collection)
      text += ", $" + variable + ", "
      bound.append(variable)
      print(predicate)
      bound.removeLast()
      text += ")"
    case .ternary(let condition, let positive, let negative):
      text += "TERNARY("
      print(condition)
      printList(", ", [positive, negative], ")")
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey, .key,
      .collectionOperator, .variable, .argument, .argumentKeyPath, .variableKeyPath, .negation,
      .arithmetic, .setOperation, .index, .assignment:
      break
    }
  }

  private mutating func printList(
    _ opening: String, _ elements: [OperandTree], _ closing: String
  ) {
    text += opening
    for (index, element) in elements.enumerated() {
      if index > 0 { text += ", " }
      print(element)
    }
    text += closing
  }

  // MARK: Key paths

  private mutating func printPath(_ kind: OperandTree.Kind) {
    let (base, path) = Self.path(kind)
    if !path.isASCII, let argument = keyPath(path) {
      printPrefix(base)
      text += argument
      return
    }
    switch kind {
    case .key(let name, let base):
      printPrefix(base)
      printKey(name)
    case .collectionOperator(let name, let base, let right):
      printPrefix(base)
      text += "@" + name
      for key in right {
        text += "."
        printKey(key)
      }
    case .argumentKeyPath(let index, let base):
      printPrefix(base)
      text += argument(index)
    case .variableKeyPath(let name, let base):
      printBase(base)
      text += "."
      if !bound.contains(name), let key = variableKey(name) {
        printKey(key)
      } else {
        text += "$" + name
      }
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey,
      .variable, .argument, .negation, .arithmetic, .setOperation, .index, .function, .call,
      .subquery, .cast, .ternary, .assignment:
      break
    }
  }

  /// Returns the keys at the end of a path, and what they are read from.
  private static func path(_ kind: OperandTree.Kind) -> (base: OperandTree?, path: String) {
    switch kind {
    case .key(let name, let base): joined(base, [name])
    case .collectionOperator(let name, let base, let right): joined(base, ["@" + name] + right)
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey,
      .variable, .argument, .argumentKeyPath, .variableKeyPath, .negation, .arithmetic,
      .setOperation, .index, .function, .call, .subquery, .cast, .ternary, .assignment:
      (nil, "")
    }
  }

  private static func joined(
    _ base: OperandTree?, _ keys: [String]
  ) -> (base: OperandTree?, path: String) {
    let path = keys.joined(separator: ".")
    guard let base, case .key = base.kind else { return (base, path) }
    let before = self.path(base.kind)
    return (before.base, before.path + "." + path)
  }

  private mutating func printPrefix(_ base: OperandTree?) {
    guard let base else { return }
    printBase(base)
    text += "."
  }

  private mutating func printKey(_ name: String) {
    text += (name.isASCII ? nil : keyPath(name)) ?? name.asKeyInPredicate
  }

  /// Writes the base of a key or an index.
  private mutating func printBase(_ base: OperandTree) {
    if case .collectionOperator = base.kind {
      // Without parentheses, the key would become part of the operator's right side.
      parenthesise(base)
    } else {
      printNested(base, wrapsNumbers: true)
    }
  }

  /// Writes an operand of an expression, in parentheses if it has operators.
  private mutating func printNested(_ operand: OperandTree, wrapsNumbers: Bool = false) {
    switch operand.kind {
    case .arithmetic, .setOperation, .negation, .assignment: parenthesise(operand)
    case .boolean, .integer, .real:
      if wrapsNumbers { parenthesise(operand) } else { print(operand) }
    case .argument, .variable: printLeaf(operand, wrapsNumbers)
    case .null, .string, .aggregate, .evaluatedObject, .anyKey, .key, .collectionOperator,
      .argumentKeyPath, .variableKeyPath, .index, .function, .call, .subquery, .cast,
      .ternary:
      print(operand)
    }
  }

  /// Writes an operand of which only the text is known.
  ///
  /// It is asked for once, because the one who gives it may collect the values in their order.
  private mutating func printLeaf(_ operand: OperandTree, _ wrapsNumbers: Bool) {
    var leaf = ""
    swap(&leaf, &text)
    print(operand)
    swap(&leaf, &text)
    text += wrapsNumbers && leaf.beginsNumber ? "(\(leaf))" : leaf
  }

  private mutating func parenthesise(_ operand: OperandTree) {
    text += "("
    print(operand)
    text += ")"
  }
}

extension String {
  /// Whether the text is a number, whose value a preceding sign would change.
  fileprivate var beginsNumber: Bool {
    guard let first = utf8.first else { return false }
    return first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
  }

  /// The text as a key of the format language: with `#` before a reserved word.
  package var asKeyInPredicate: String {
    guard let keyword = Keyword(self), keyword.isReserved else { return self }
    return "#" + self
  }

  fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

  /// Whether Apple's parser reads the string's literal as this one does: it has no escape in braces.
  package var isPlainInPredicate: Bool {
    unicodeScalars.allSatisfy { !$0.isControl || $0.value < 0x100 }
  }

  /// The text as a string literal of the format language, in `"…"`.
  package var quotedForPredicate: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.isControl && scalar.value < 0x100:
        let digits = String(scalar.value, radix: 16)
        quoted += scalar.value < 0x10 ? "\\x0" + digits : "\\x" + digits
      case _ where scalar.isControl: quoted += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
