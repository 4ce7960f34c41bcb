import Basics
import PredicateSyntax

/// Creates random trees that can be written as text.
struct RandomTree {
  var generator: SeededGenerator
  private var arguments = 0

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private static let place = SourceRange(0, 0)
  private static let names = [
    "a", "title", "größe", "名前", "in", "SELF", "size", "first", "union", "ternary", "_x1", "and",
    "count", "Null", "nil_", "uti",
  ]
  private static let strings = [
    "", "x", "it's", "\"q\"", "a\\b", "tab\there", "line\nbreak", "é", "e\u{301}", "😀", "%@ $x",
    "\u{0}\u{7}\u{1B}\u{7F}", "{1, 2}", "// ** AND",
  ]

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  private mutating func pick<Element>(from elements: [Element]) -> Element {
    elements[pick(elements.count)]
  }

  mutating func predicate(depth: Int) -> PredicateTree {
    switch depth > 0 ? pick(8) : 7 {
    case 0: .and(parts(depth: depth - 1))
    case 1: .or(parts(depth: depth - 1))
    case 2: .not(predicate(depth: depth - 1))
    case 3: .constant(pick(2) == 0)
    default: .comparison(comparison(depth: depth - 1))
    }
  }

  private mutating func parts(depth: Int) -> [PredicateTree] {
    (0..<2 + pick(3)).map { _ in predicate(depth: depth) }
  }

  private mutating func comparison(depth: Int) -> PredicateTree.Comparison {
    let comparator = pick(from: PredicateTree.Comparator.allCases)
    return PredicateTree.Comparison(
      modifier: pick(from: [nil, nil, nil, .any, .all]), left: operand(depth: depth),
      comparator: comparator,
      options: comparator == .between || pick(2) == 0
        ? [] : PredicateTree.Options(rawValue: UInt8(pick(16))),
      right: operand(depth: depth), range: Self.place)
  }

  mutating func operand(depth: Int) -> OperandTree {
    let kind = depth > 0 && pick(3) > 0 ? inner(depth: depth - 1) : leaf()
    return OperandTree(kind, range: Self.place)
  }

  private mutating func leaf() -> OperandTree.Kind {
    switch pick(11) {
    case 0: return .null
    case 1: return pick(2) == 0 ? .boolean(true, word: "YES") : .boolean(false, word: "NO")
    case 2: return .integer(pick(from: [0, 1, -1, 42, .max, .min]))
    case 3:
      let text = pick(from: ["1.5", "-0.25", "1e10", "-9.2e-5", "10.50", "0.10000000000000000001"])
      return OperandTree.Kind(real: text) ?? .null
    case 4, 5: return .string(pick(from: Self.strings))
    case 6: return .evaluatedObject
    case 7: return .variable(pick(from: Self.names))
    case 8: return .collectionOperator("count", of: nil, right: [])
    case 9: return pick(4) == 0 ? .anyKey : .key(pick(from: Self.names), of: nil)
    default: return .key(pick(from: Self.names), of: nil)
    }
  }

  private mutating func inner(depth: Int) -> OperandTree.Kind {
    switch pick(14) {
    case 0: return .aggregate(operands(pick(4), depth: depth))
    case 1, 2: return .key(pick(from: Self.names), of: operand(depth: depth))
    case 3:
      let name = pick(from: CollectionOperator.allCases).rawValue
      let right = (0..<pick(3)).map { _ in
        pick(5) == 0 ? "@count" : pick(from: Self.names)
      }
      return .collectionOperator(name, of: operand(depth: depth), right: right)
    case 4: return .variableKeyPath(pick(from: Self.names), of: operand(depth: depth))
    case 5: return .negation(operand(depth: depth))
    case 6, 7:
      let sign = pick(from: OperandTree.ArithmeticOperator.allCases)
      return .arithmetic(operand(depth: depth), sign, operand(depth: depth))
    case 8:
      let sign = pick(from: OperandTree.SetOperator.allCases)
      return .setOperation(operand(depth: depth), sign, operand(depth: depth))
    case 9: return .index(operand(depth: depth), index(depth: depth))
    case 10:
      let name = pick(from: PredicateFunction.names)
      let count = name.utf8.count { $0 == UInt8(ascii: ":") }
      return .function(name, operands(count, depth: depth))
    case 11: return special(depth: depth)
    case 12:
      return .ternary(
        predicate(depth: depth), operand(depth: depth), operand(depth: depth))
    default: return .assignment(pick(from: Self.names), operand(depth: depth))
    }
  }

  private mutating func special(depth: Int) -> OperandTree.Kind {
    switch pick(3) {
    case 0: .cast(operand(depth: depth), to: operand(depth: depth))
    case 1:
      .call(
        operand(depth: depth), selector: operand(depth: depth), operands(pick(3), depth: depth))
    default:
      .subquery(
        operand(depth: depth), variable: pick(from: Self.names), predicate(depth: depth))
    }
  }

  private mutating func index(depth: Int) -> OperandTree.Index {
    switch pick(5) {
    case 0: .first
    case 1: .last
    case 2: .size
    default: .at(operand(depth: depth))
    }
  }

  private mutating func operands(_ count: Int, depth: Int) -> [OperandTree] {
    (0..<count).map { _ in operand(depth: depth) }
  }
}
