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
