import FetchedResults
import Foundation
import PredicateSyntax

extension PredicateExpressions.Variable: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    guard let operand = translator.binding(of: key) else {
      throw PredicateTranslationError("\(self)", "the variable belongs to another predicate")
    }
    return .operand(operand)
  }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let base = try translator.translate(root)
    if case .list(let elements) = base, let known = ofList(elements) { return known }
    guard let operand = base.operand else {
      throw PredicateTranslationError("\(keyPath)", "no attribute holds a range")
    }
    if let kind, let common = common(kind, of: operand) { return common }
    if Root.Output.self is any StringProtocol.Type || kind != nil {
      throw PredicateTranslationError(
        "\(translator.text(of: operand)).\(kind.map { "\($0)" } ?? "\(keyPath)")",
        Root.Output.self is any StringProtocol.Type
          ? "the format language does not look into a string by places; use contains, "
            + "starts(with:) or isEmpty"
          : "a store does not know the order of objects; use contains(where:)")
    }
    if let raw = Root.Output.self as? any RawRepresentable.Type {
      if (raw as? any (RawRepresentable & CaseIterable).Type)?.isRawValue(keyPath) == true {
        return .operand(operand)
      }
      throw PredicateTranslationError(
        "\(keyPath)",
        "a store knows the raw value of \(raw) only; compare with a value of the type, or let it "
          + "be CaseIterable and ask for rawValue")
    }
    if let entity = Root.Output.self as? any ManagedEntity.Type {
      if entity.isIdentity(keyPath) { return .operand(operand) }
      if (entity as? any ManagedSubentity.Type)?.isSuperentity(keyPath) == true {
        return .operand(operand)
      }
      if let name = entity.propertyName(of: keyPath) {
        return .operand(.make(.key(name, of: operand.kind == .evaluatedObject ? nil : operand)))
      }
      throw PredicateTranslationError(
        "\(keyPath)",
        "it is not an attribute or relationship of \(entity.entityName); "
          + "a store does not know what a class computes")
    }
    throw PredicateTranslationError(
      "\(keyPath)", "the format language knows no parts of \(Root.Output.self)")
  }

  private func ofList(_ elements: [OperandTree]) -> TranslatedExpression? {
    switch kind {
    case .collectionCount: .operand(.make(.integer(Int64(elements.count))))
    case .collectionIsEmpty: .condition(.constant(elements.isEmpty))
    case .collectionFirst: .operand(elements.first ?? .make(.null))
    case .bidirectionalCollectionLast: .operand(elements.last ?? .make(.null))
    case nil: nil
    @unknown default: nil
    }
  }

  /// Returns the properties that all collections have; nil if a store cannot compute it.
  private func common(
    _ kind: CommonKeyPathKind, of operand: OperandTree
  ) -> TranslatedExpression? {
    let isText = Root.Output.self is any StringProtocol.Type
    let count = OperandTree.make(.collectionOperator("count", of: operand, right: []))
    return switch kind {
    case .collectionIsEmpty where isText:
      .condition(.comparing(operand, .equal, .make(.string(""))))
    case .collectionIsEmpty: .condition(.comparing(count, .equal, .make(.integer(0))))
    case .collectionCount where !isText: .operand(count)
    case .collectionCount, .collectionFirst, .bidirectionalCollectionLast: nil
    @unknown default: nil
    }
  }
}

extension RawRepresentable where Self: CaseIterable {
  /// Whether a key path leads to the raw value.
  ///
  /// A protocol requirement's key path is not equal to that of the type, so this compares the
  /// results for all cases.
  fileprivate static func isRawValue(_ keyPath: AnyKeyPath) -> Bool {
    allCases.allSatisfy { value in
      PredicateConstant.value(of: value[keyPath: keyPath] as Any)
        == PredicateConstant.value(of: value.rawValue)
    }
  }
}

extension ManagedEntity {
  /// Whether a key path leads to an object's identity.
  fileprivate static func isIdentity(_ keyPath: AnyKeyPath) -> Bool {
    managedSchema.identities.contains { $0 as AnyKeyPath == keyPath }
  }
}
