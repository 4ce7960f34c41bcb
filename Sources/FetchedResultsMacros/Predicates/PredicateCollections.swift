import FetchedResults
import Foundation
import PredicateSyntax

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let member = try translator.operand(element)
    if LHS.Output.self is any StringProtocol.Type {
      return .condition(
        translator.search(try translator.operand(sequence), .contains, member, []))
    }
    return .condition(.comparing(member, .in, try translator.operand(sequence)))
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let members = try translator.translate(sequence)
    if case .list(let elements) = members {
      var found = PredicateTree.constant(false)
      for element in elements {
        translator.bind(variable.key, to: element)
        found = .any(found, try translator.condition(test))
      }
      return .condition(found)
    }
    let some = try translator.members(members, variable.key, test) { $0 }
    return .condition(.comparing(some.counted, .greater, .make(.integer(0))))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let members = try translator.translate(sequence)
    if case .list(let elements) = members {
      var all = PredicateTree.constant(true)
      for element in elements {
        translator.bind(variable.key, to: element)
        all = .all(all, try translator.condition(test))
      }
      return .condition(all)
    }
    let others = try translator.members(members, variable.key, test) { $0.negated }
    return .condition(.comparing(others.counted, .equal, .make(.integer(0))))
  }
}

extension PredicateExpressions.Filter: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let members = try translator.translate(sequence)
    return .operand(try translator.members(members, variable.key, filter) { $0 })
  }
}

extension PredicateTranslator {
  /// Returns the members of a to-many relationship that meet a condition.
  fileprivate func members(
    _ sequence: TranslatedExpression, _ variable: PredicateExpressions.VariableID,
    _ test: some PredicateExpression, _ change: (PredicateTree) -> PredicateTree
  ) throws(PredicateTranslationError) -> OperandTree {
    guard case .operand(let members) = sequence else {
      throw PredicateTranslationError(
        Self.name(of: test), "the format language filters to-many relationships only")
    }
    let name = newVariable()
    bind(variable, to: .make(.variable(name)))
    return .make(.subquery(members, variable: name, change(try condition(test))))
  }

  /// Returns whether a string contains another one.
  ///
  /// Every string contains the empty one.
  fileprivate func search(
    _ text: OperandTree, _ comparator: PredicateTree.Comparator, _ part: OperandTree,
    _ options: PredicateTree.Options
  ) -> PredicateTree {
    if case .string(let known) = part.kind {
      return known.isEmpty ? .constant(true) : .comparing(text, comparator, part, options)
    }
    return .any(
      .comparing(part, .equal, .make(.string(""))), .comparing(text, comparator, part, options))
  }
}

extension OperandTree {
  fileprivate var counted: OperandTree {
    .make(.collectionOperator("count", of: self, right: []))
  }
}

// MARK: - Strings

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    guard Base.Output.self is any StringProtocol.Type else {
      throw PredicateTranslationError("\(self)", "only a string can contain a sequence")
    }
    return .condition(
      translator.search(
        try translator.operand(base), .contains, try translator.operand(other), []))
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    guard Base.Output.self is any StringProtocol.Type else {
      throw PredicateTranslationError("\(self)", "only a string can start with a sequence")
    }
    return .condition(
      translator.search(
        try translator.operand(base), .beginsWith, try translator.operand(prefix), []))
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .condition(
      .comparing(
        try translator.operand(root), .contains, try translator.operand(other),
        [.caseInsensitive, .diacriticInsensitive]))
  }
}

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

extension PredicateExpressions.Arithmetic: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    let sign: OperandTree.ArithmeticOperator =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default:
        throw PredicateTranslationError("\(op)", "the format language has no such operation")
      }
    return .operand(
      .make(.arithmetic(try translator.operand(lhs), sign, try translator.operand(rhs))))
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .operand(.make(.arithmetic(try translator.operand(lhs), .divide, try translator.operand(rhs))))
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .operand(.make(.arithmetic(try translator.operand(lhs), .divide, try translator.operand(rhs))))
  }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .operand(
      .make(
        .function(
          "modulus:by:", [try translator.operand(lhs), try translator.operand(rhs)])))
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func translated(
    by translator: PredicateTranslator
  ) throws(PredicateTranslationError) -> TranslatedExpression {
    .operand(.make(.negation(try translator.operand(wrapped))))
  }
}
