extension ScriptError.Kind {
  /// The text that can replace the error's range: the nearest name; nil if there is none.
  var replacement: String? {
    switch self {
    case .unknown(let kind, _, let near, _): kind.replacement(near)
    case .duringSave(let cause, _): cause.replacement
    case .misused, .file, .controller, .contextExists, .notSaved, .mergesItself, .nestedExtension,
      .historyIntoChild,
      .objectElsewhere,
      .noBatch, .batchWithoutIDs, .batchReadsAttribute, .malformed, .givenTwice, .wrongType,
      .abstractEntity, .notToMany, .transientTooDeep,
      .expressionTooDeep, .otherEntity, .misplacedPart, .wrongArguments, .noSuchObject,
      .deletedObject, .notAnObject, .notIndexable, .indexOutOfRange, .needed, .cannotCombine,
      .cannotCompare, .divisionByZero, .overflow, .tooLarge, .dateOutOfRange, .tooLong,
      .tooManyElements, .nestedTooDeep, .contextsTooDeep, .wrongTarget, .unequal, .untrue,
      .returnOutsideCallback,
      .refusedWhileReading, .storedWhileReading,
      .callbacksTooDeep, .endlessCallbacks, .interrupted, .stepLimit, .engine:
      nil
    }
  }

  /// The error without the statement during which it happened.
  var cause: ScriptError.Kind {
    if case .duringSave(let cause, _) = self { cause.cause } else { self }
  }
}
