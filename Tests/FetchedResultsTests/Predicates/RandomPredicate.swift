import Basics
import FetchedResults
import Foundation
import PredicateSyntax

/// Creates random predicates that are usually valid, and values to evaluate them on.
struct RandomPredicate {
  var generator: SeededGenerator
  /// The values of the predicate's arguments.
  private(set) var arguments: [PropertyValue] = []
  /// Whether the predicate may use `kids`, a list of objects.
  let hasKids: Bool

  static let attributes: [(name: String, type: AttributeType)] = [
    ("s", .string), ("t", .string), ("i", .integer64), ("j", .integer32), ("d", .double),
    ("m", .decimal), ("b", .boolean), ("date", .date), ("id", .uuid), ("link", .uri),
    ("bytes", .binaryData),
  ]

  init(seed: UInt64, hasKids: Bool) {
    generator = SeededGenerator(seed: seed)
    self.hasKids = hasKids
  }

  private static let place = SourceRange(0, 0)
  private static let texts = [
    "", "a", "A", "é", "e\u{301}", "Straße", "STRASSE", "a*b", "a?", "[", "\\", "\"", "'", "ab",
    "\n", "日本", "😀", "i", "İ", "1", "2026-01-01T00:00:00Z", ".*", "(a|b)+", "%@", "$x",
  ]
  private static let dates = [0.0, 1, -978_250_148, 1.5, 800_000_000.25, 800_000_000.123_456_7]
  private static let uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))

  mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
  mutating func pick<Element>(from elements: [Element]) -> Element {
    elements[pick(elements.count)]
  }

  // MARK: Values

  mutating func value(of type: AttributeType) -> PropertyValue {
    if pick(5) == 0 { return .null }
    switch type {
    case .string: return .string(pick(from: Self.texts))
    case .integer16, .integer32: return .int(pick(from: [0, 1, 2, -1, 42]))
    case .integer64: return .int(pick(from: [0, 1, 2, -1, .max, .min]))
    case .double, .float: return .double(pick(from: [0, 1, 2, 1.5, -0.25, .nan, .infinity, 1e300]))
    case .decimal: return .decimal(pick(from: [0, 1, Decimal(string: "0.1") ?? 0, -3]))
    case .boolean: return .bool(pick(2) == 0)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: pick(from: Self.dates)))
    case .uuid: return .uuid(Self.uuid)
    case .uri: return .uri(URL(filePath: pick(from: ["/a", "/b"])))
    case .binaryData: return .data(Data([UInt8(pick(3))]))
    }
  }

  private mutating func anyValue() -> PropertyValue {
    let type = pick(from: Self.attributes).type
    return value(of: type)
  }

  mutating func values() -> [String: PropertyValue] {
    Dictionary(Self.attributes.map { ($0.name, value(of: $0.type)) }) { first, _ in first }
  }

  // MARK: Predicates

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
    (0..<2 + pick(2)).map { _ in predicate(depth: depth) }
  }

  private mutating func comparison(depth: Int) -> PredicateTree.Comparison {
    var left = operand(.any, depth)
    var right = operand(.any, depth)
    var modifier: PredicateTree.Modifier?
    let comparator = pick(from: PredicateTree.Comparator.allCases)
    switch comparator {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      let kind = pick(from: [Kind.number, .text, .date, .any])
      left = operand(kind, depth)
      right = operand(kind, depth)
    case .between:
      left = operand(.number, depth)
      right = make(.aggregate([operand(.number, depth), operand(.number, depth)]))
    case .in: right = operand(pick(3) == 0 ? .text : .list, depth)
    case .contains: left = operand(pick(3) == 0 ? .list : .text, depth)
    case .beginsWith, .endsWith, .like, .matches:
      left = operand(.text, depth)
      right = operand(.text, depth)
    }
    if pick(6) == 0 {
      modifier = pick(from: [.any, .all])
      left = operand(.list, depth)
    }
    return PredicateTree.Comparison(
      modifier: modifier, left: left, comparator: comparator,
      options: comparator == .between || pick(2) == 0
        ? [] : PredicateTree.Options(rawValue: UInt8(pick(16))),
      right: right, range: Self.place)
  }

  private enum Kind { case number, text, date, list, any }

  private func make(_ kind: OperandTree.Kind) -> OperandTree {
    OperandTree(kind, range: Self.place)
  }

  private mutating func operand(_ kind: Kind, _ depth: Int) -> OperandTree {
    switch pick(12) == 0 ? .any : kind {
    case .number: number(depth)
    case .text: text(depth)
    case .date: date()
    case .list: list(depth)
    case .any:
      switch pick(6) {
      case 0: number(depth)
      case 1: text(depth)
      case 2: date()
      case 3: list(depth)
      case 4:
        make(pick(from: [.null, .evaluatedObject, .variable("x"), .boolean(true, word: "YES")]))
      default: key(pick(from: Self.attributes).name)
      }
    }
  }

  private func key(_ name: String) -> OperandTree { make(.key(name, of: nil)) }

  private mutating func argument(_ value: PropertyValue) -> OperandTree {
    arguments.append(value)
    return make(.argument(arguments.count - 1))
  }

  private mutating func number(_ depth: Int) -> OperandTree {
    guard depth > 0 else {
      switch pick(5) {
      case 0: return make(.integer(pick(from: [0, 1, -1, 2, 42, .max, .min])))
      case 1:
        let text = pick(from: ["1.5", "-0.25", "1e10", "0.1", "2.0", "0.10000000000000000001"])
        return make(OperandTree.Kind(real: text) ?? .null)
      case 2:
        let type = pick(from: [AttributeType.integer64, .double, .decimal, .boolean])
        return argument(value(of: type))
      default: return key(pick(from: ["i", "j", "d", "m", "b"]))
      }
    }
    switch pick(7) {
    case 0, 1:
      let sign = pick(from: OperandTree.ArithmeticOperator.allCases)
      return make(.arithmetic(number(depth - 1), sign, number(depth - 1)))
    case 2: return make(.negation(number(depth - 1)))
    case 3:
      let name = pick(from: ["abs:", "floor:", "sqrt:", "trunc:", "onesComplement:", "random:"])
      return make(.function(name, [number(depth - 1)]))
    case 4:
      let name = pick(from: ["sum:", "max:", "average:", "median:", "count:", "stddev:", "mode:"])
      return make(.function(name, [list(depth - 1)]))
    case 5: return make(.index(list(depth - 1), pick(from: [.size, .first, .last])))
    default:
      return make(.ternary(predicate(depth: depth - 1), number(depth - 1), number(depth - 1)))
    }
  }

  private mutating func text(_ depth: Int) -> OperandTree {
    switch depth > 0 ? pick(6) : pick(4) {
    case 0: make(.string(pick(from: Self.texts)))
    case 1: argument(.string(pick(from: Self.texts)))
    case 2, 3: key(pick(from: ["s", "t"]))
    case 4:
      make(.function(pick(from: ["uppercase:", "lowercase:", "canonical:"]), [text(depth - 1)]))
    default: make(.cast(operand(.any, depth - 1), to: make(.string("NSString"))))
    }
  }

  private mutating func date() -> OperandTree {
    switch pick(4) {
    case 0: return make(.function("now", []))
    case 1, 2:
      let type = pick(from: [AttributeType.date, .uuid, .uri, .binaryData])
      return argument(value(of: type))
    default: return key(pick(from: ["date", "id", "link", "bytes"]))
    }
  }

  private mutating func list(_ depth: Int) -> OperandTree {
    switch pick(hasKids ? 6 : 3) {
    case 0:
      let kind = pick(from: [Kind.number, .text])
      return make(.aggregate((0..<pick(4)).map { _ in operand(kind, depth - 1) }))
    case 1:
      let sign = pick(from: OperandTree.SetOperator.allCases)
      guard depth > 0 else { return make(.aggregate([])) }
      return make(.setOperation(list(depth - 1), sign, list(depth - 1)))
    case 2: return argument(.list((0..<pick(4)).map { _ in anyValue() }))
    case 3: return make(.key(pick(from: ["s", "i"]), of: key("kids")))
    case 4:
      let name = pick(from: CollectionOperator.allCases).rawValue
      return make(.collectionOperator(name, of: key("kids"), right: [pick(from: ["i", "s"])]))
    default:
      let member = make(.key("i", of: make(.variable("kid"))))
      let inner = PredicateTree.comparison(
        .init(left: member, comparator: .greater, right: number(depth - 1), range: Self.place))
      return make(.subquery(key("kids"), variable: "kid", inner))
    }
  }
}
