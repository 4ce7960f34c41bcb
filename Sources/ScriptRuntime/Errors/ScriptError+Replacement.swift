import FetchedResults

extension ScriptError.Kind {
  /// What may stand in place of the error's range: the nearest name, where
  /// there is one.
  var replacement: String? {
    switch self {
    case .unknownEntity(_, let near), .unknownSource(_, let near), .unknownName(_, let near),
      .unknownController(_, let near), .unknownAttribute(_, _, let near),
      .unknownMember(_, _, let near), .unknownFunction(_, let near), .unknownType(_, let near),
      .unknownParent(_, let near), .unknownContext(_, let near):
      near
    case .unknownVariable(_, let near): near.map { "$" + $0 }
    case .unknownStoredRequest(_, let near): near.map(\.quoted)
    case .duringSave(let cause, _): cause.replacement
    case .alreadyDefined, .contextExists, .notSaved, .mergesItself, .objectElsewhere,
      .notController, .notTable, .unknownTable, .notSource, .notValue, .malformed, .givenTwice,
      .wrongType, .abstractEntity, .notToMany, .transientTooDeep, .expressionTooDeep, .otherEntity,
      .misplacedPart, .storeIsOpen, .objectsInMemory, .unreadableFile, .unreadableModel,
      .unknownVersion, .noCurrentVersion, .wrongArguments, .noSuchObject, .deletedObject,
      .notAnObject, .notIndexable, .indexOutOfRange, .needed, .cannotCombine, .cannotCompare,
      .divisionByZero, .overflow, .tooLarge, .dateOutOfRange, .tooLong, .tooManyElements,
      .nestedTooDeep, .notFetched, .accessBeforeFetch, .notSet, .wrongTarget,
      .controllerWithClauses, .fixedClause, .unsortedSection, .clauseNotHere, .noAttributes,
      .unequal, .untrue, .include, .includesItself, .includeTooDeep, .includeHasErrors,
      .returnOutsideCallback, .callbacksTooDeep, .endlessCallbacks, .interrupted, .stepLimit,
      .engine:
      nil
    }
  }

  /// The error without what was going on around it.
  var cause: ScriptError.Kind {
    if case .duringSave(let cause, _) = self { cause.cause } else { self }
  }
}
