import Foundation
import PredicateSyntax

/// A comparison of an integer attribute with a constant, as a range.
struct IntegerTest {
  let lower: Int64
  let upper: Int64
  let isInverted: Bool

  /// Whether a null value matches.
  ///
  /// Nil is equal to no number, and has no order relative to one.
  var matchesNull: Bool { isInverted }

  private init(_ lower: Int64, _ upper: Int64, isInverted: Bool = false) {
    self.lower = lower
    self.upper = upper
    self.isInverted = isInverted
  }

  /// Creates `value operator bound`; nil if the operator is not a comparison of order or equality.
  init?(_ comparator: PredicateTree.Comparator, _ bound: Int64) {
    guard let relation = comparator.relation else { return nil }
    switch relation {
    case .equal: self.init(bound, bound)
    case .notEqual: self.init(bound, bound, isInverted: true)
    case .less: self.init(.min, bound == .min ? .min : bound - 1, empty: bound == .min)
    case .lessOrEqual: self.init(.min, bound)
    case .greater: self.init(bound == .max ? .max : bound + 1, .max, empty: bound == .max)
    case .greaterOrEqual: self.init(bound, .max)
    }
  }

  private init(_ lower: Int64, _ upper: Int64, empty: Bool) {
    if empty { self.init(1, 0) } else { self.init(lower, upper) }
  }

  /// Creates BETWEEN, which matches no value if the bounds are reversed.
  init(between lower: Int64, _ upper: Int64) { self.init(lower, upper) }

  @inline(__always)
  func holds(_ value: Int64) -> Bool { (lower <= value && value <= upper) != isInverted }
}

/// A comparison of a floating-point or date attribute with a constant.
struct RealTest {
  /// The relation; nil for BETWEEN.
  let relation: PredicateTree.Comparator.Relation?
  let lower: Double
  let upper: Double

  var matchesNull: Bool { relation == .notEqual }

  /// Creates `value operator bound`; nil if the operator is not a comparison of order or equality.
  init?(_ comparator: PredicateTree.Comparator, _ bound: Double) {
    guard let relation = comparator.relation else { return nil }
    self.relation = relation
    lower = bound
    upper = bound
  }

  /// Creates BETWEEN, which matches no value if the bounds are reversed.
  init(between lower: Double, _ upper: Double) {
    relation = nil
    self.lower = lower
    self.upper = upper
  }

  @inline(__always)
  func holds(_ value: Double) -> Bool {
    switch relation {
    case .equal: value == lower
    case .notEqual: value != lower
    case .less: value < lower
    case .lessOrEqual: value <= lower
    case .greater: value > lower
    case .greaterOrEqual: value >= lower
    case nil: lower <= value && value <= upper
    }
  }
}

/// An IN test with a constant list of strings or integers.
struct MembershipTest {
  private(set) var strings: Set<ScalarString> = []
  private(set) var integers: Set<Int64> = []
  private(set) var hasNull = false

  /// - Returns: Nil if a member is of another kind, which a look-up could not compare.
  init?(_ members: [PredicateValue]) {
    for member in members {
      switch member {
      case .value(.string(let text)): strings.insert(ScalarString(text))
      case .value(.int(let number)): integers.insert(number)
      case .value(.bool(let truth)): integers.insert(truth ? 1 : 0)
      case .value(.null): hasNull = true
      case .value, .list, .set, .dictionary, .subject: return nil
      }
    }
  }

  /// Returns nil for a value that is neither a string, an integer nor null.
  @inline(__always)
  func holds(_ value: PropertyValue) -> Bool? {
    switch value {
    case .string(let text): strings.contains(ScalarString(text))
    case .int(let number): integers.contains(number)
    case .bool(let truth): integers.contains(truth ? 1 : 0)
    case .null: hasNull
    case .double, .date, .decimal, .uuid, .uri, .data, .object, .list: nil
    }
  }
}

/// A comparison of a to-one relationship with constant objects.
struct ObjectTest {
  private(set) var objects: Set<ObjectID> = []
  private(set) var hasNull = false
  let isInverted: Bool

  /// Whether null matches.
  ///
  /// It is equal to null only.
  var matchesNull: Bool { hasNull != isInverted }

  /// Creates `==`, `!=` or IN; nil for another operator, or if a value is neither an object nor
  /// null.
  init?(_ comparator: PredicateTree.Comparator, _ known: PredicateValue) {
    isInverted = comparator == .notEqual
    switch (comparator, known) {
    case (.equal, .value), (.notEqual, .value): guard add(known) else { return nil }
    case (.in, .list(let members)): for member in members where !add(member) { return nil }
    default: return nil
    }
  }

  private mutating func add(_ member: PredicateValue) -> Bool {
    switch member {
    case .value(.object(let id)): objects.insert(id)
    case .value(.null): hasNull = true
    case .value, .list, .set, .dictionary, .subject: return false
    }
    return true
  }

  @inline(__always)
  func holds(_ object: ObjectID) -> Bool { objects.contains(object) != isInverted }
}

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
    self.init(text) { entity in
      var compiler = PredicateCompiler(
        entity: entity, arguments: [], variables: [:], environment: EvaluationEnvironment())
      compiler.readsTransient = true
      do throws(InvalidPredicateError) {
        _ = try compiler.compile(operand)
        return nil
      } catch {
        return error.reasonOfModel
      }
    } evaluate: { object in
      let compiler = PredicateCompiler(
        entity: nil, arguments: [], variables: [:],
        environment: object.graph?.environment ?? EvaluationEnvironment())
      let scope = PredicateScope(
        snapshot: object.snapshot, object: object.objectID, subject: nil, graph: object.graph)
      guard let value = try? compiler.compile(operand).value(in: scope).scalar else { return .null }
      guard isCanonical, let string = value.string else { return value }
      return .string(string.canonical)
    }
  }
}

extension String {
  /// The text without case, diacritics and width, as `canonical:` gives it.
  var canonical: String {
    folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }
}
