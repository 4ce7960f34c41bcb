import Foundation
import PredicateSyntax

extension StoreFilterBuilder {
  /// Conditions on one attribute that memory has no fast tests for: decimals, UUIDs and data, and
  /// integers compared with floating-point numbers.
  struct Constants {
    private let attribute: Int
    private let type: AttributeType

    init(attribute: Int, _ type: AttributeType) {
      self.attribute = attribute
      self.type = type
    }

    /// - Returns: Nil if the comparison may raise, or if a store's result may differ.
    func test(_ rule: ComparisonRule, _ known: PredicateValue) -> Test? {
      guard rule.options.isEmpty else { return nil }
      switch (rule.comparator, known) {
      case (.in, .list(let members)):
        let tests = members.compactMap(isEqual)
        guard tests.count == members.count else { return nil }
        return tests.isEmpty ? .constant(false) : .any(tests)
      case (.between, .list(let bounds)) where bounds.count == 2:
        guard let lower = test(.greaterOrEqual, bounds[0]),
          let upper = test(.lessOrEqual, bounds[1])
        else { return nil }
        return .all([lower, upper])
      default:
        return rule.comparator.relation.flatMap { test($0, known) }
      }
    }

    private func isEqual(_ known: PredicateValue) -> Test? {
      known.isNull ? .isNull(attribute) : test(.equal, known)
    }

    private func test(_ comparison: StoreFilter.Comparison, _ known: PredicateValue) -> Test? {
      guard case .value(let value) = known else { return nil }
      switch (type, value) {
      case (.uuid, .uuid(let uuid)):
        return .bytes(attribute, comparison, withUnsafeBytes(of: uuid.uuid) { Data($0) })
      case (.binaryData, .data(let data)): return .bytes(attribute, comparison, data)
      case (.decimal, .double(let number)) where !number.isNaN:
        return .real(attribute, comparison, number)
      case (.decimal, .decimal(let number)): return stored(number, comparison)
      case (.decimal, .int(let number)): return stored(Decimal(number), comparison)
      case (.integer16, .double(let number)), (.integer32, .double(let number)),
        (.integer64, .double(let number)), (.boolean, .double(let number)):
        return exact(number, comparison)
      // The integer is in a list that also has floating-point numbers.
      case (.integer16, .int(let number)), (.integer32, .int(let number)),
        (.integer64, .int(let number)), (.boolean, .int(let number)):
        return exact(Double(number), comparison)
      default: return nil
      }
    }

    /// Returns the comparison of an integer with a floating-point number, if rounding in memory
    /// never moves an integer across the number.
    private func exact(_ number: Double, _ comparison: StoreFilter.Comparison) -> Test? {
      abs(number) < 0x1p53 ? .real(attribute, comparison, number) : nil
    }

    /// Returns the comparison of a decimal as the floating-point number that a store has for it, if
    /// no other decimal has the same one.
    private func stored(_ number: Decimal, _ comparison: StoreFilter.Comparison) -> Test? {
      let real = number.nearestDouble
      guard abs(real) < 0x1p53, Decimal(wholeText: real.description) == number else { return nil }
      return .real(attribute, comparison, real)
    }
  }
}
