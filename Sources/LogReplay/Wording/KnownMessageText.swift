/// Explains a known message: what happened, and what to change.
struct KnownMessageText {
  let fact: String
  let change: [String]

  /// - Parameter gaps: The texts of the placeholders of the message, in order.
  init(_ message: KnownMessage, _ gaps: [String]) {
    fact = Self.fact(message, Gaps(texts: gaps))
    change = Self.change(message)
  }

  /// The texts of a message's placeholders.
  private struct Gaps {
    let texts: [String]

    subscript(_ place: Int) -> String { texts.indices.contains(place) ? texts[place] : "" }
  }

  private static func fact(_ message: KnownMessage, _ gaps: Gaps) -> String {
    switch message {
    case .sectionsAsked:
      "The view was asked for the rows of section \(gaps[0]), and it has \(gaps[1]) sections."
    case .globalIndex:
      "A batch used item number \(gaps[0]), and the view has \(gaps[1]) items."
    case .layoutAttributes, .layoutIgnored:
      "The layout returned attributes for a cell that the data source does not have."
    case .noLayoutAttributes: "The layout has no attributes for an index path of the view."
    case .noCell: "The data source returned no cell for one of its rows."
    case .noCellRegistered: "No class and no nib is registered for the cell \(gaps[0])."
    case .cellNotDequeued: "The data source returned a cell that was not dequeued."
    case .cellDequeuedTwice: "The data source dequeued two cells for one index path."
    case .sectionMap:
      "The table had \(gaps[0]) sections, and the data source has \(gaps[1]) now. The operations do not "
        + "lead from one number to the other."
    case .updateInLayout: "A table was changed or asked for a cell while it was loading its cells."
    case .wrongIndexPath:
      "An index path does not have two numbers, one of a section and one of a row."
    case .layoutOutsideWindow: "The table was updated or laid out before it was in a window."
    case .diffableView:
      "The app called insert, delete, move or reload of a view that has a diffable "
        + "data source."
    case .itemsExist:
      "The app added \(gaps[0]) items to a snapshot that has them already. They were moved to the new "
        + "place."
    case .itemNotInSnapshot: "The app named an item that the snapshot does not have."
    case .sectionNotInSnapshot: "The app named a section that the snapshot does not have."
    case .backgroundThread: "A view was changed on a thread that is not the main thread."
    case .wrongQueue: "A context or one of its objects was used outside of the context's queue."
    case .changedInLoop: "A collection was changed in a loop over its elements."
    case .temporaryID:
      "An object ID is temporary, because the object was not saved yet. It was used in another context."
    case .noCoordinator:
      "The context has no store or model yet, so the entity \(gaps[0]) cannot be found."
    case .noEntityNamed: "The model does not have an entity \(gaps[0])."
    case .noDescription: "An object was created without an entity of a model."
    case .noDesignatedInitializer: "An object of \(gaps[0]) was created by init()."
    case .otherContext: "The relationship '\(gaps[0])' was set to an object of another context."
    case .deletedInOtherContext: "An object was deleted in a context that it does not belong to."
    case .wrongType: "The attribute '\(gaps[0])' needs \(gaps[1]), and was given \(gaps[2])."
    case .noSuchKey: "The class has no property '\(gaps[0])'."
    case .noSQL: "A SQLite store cannot translate the predicate or the sort descriptor to SQL."
    case .noStore: "The coordinator has no store, because none was loaded or loading failed."
    case .storeNotReachable: "An object of another container, or of a removed store, was used."
    case .stillDirty: "Each round of a save changes objects again, so the save has no end."
    case .recursiveSave: "A context was saved while it was being saved."
    case .invalidated: "An object was used after its context was reset, or its store was removed."
    case .twoModels: "The model was loaded twice, so \(gaps[0]) belongs to two entities."
    case .otherModel: "The store was made with another version of the model."
    case .mergeConflict: "A save met newer values of the same objects in the store."
    case .unknownSelector:
      "An object received \(gaps[0].isEmpty ? "a message" : "[\(gaps[0])]"), which its class does not "
        + "have. It is of another class than the code expects, or was freed."
    case .indexOutOfRange: "The app read an array at an index that it does not have."
    case .foundNil: "An optional value was nil where the app unwraps it with '!'."
    case .wrongCast: "A value is of the class \(gaps[0]), and the app casts it to \(gaps[1])."
    case .parameter: "A method was called with an argument for which '\(gaps[0])' is false."
    }
  }

  private static func change(_ message: KnownMessage) -> [String] {
    switch message {
    case .sectionsAsked:
      [
        "Ask the view for cells and layout only after it was updated. Call reloadData after "
          + "performFetch."
      ]
    case .globalIndex:
      [
        "Start an update in the completion of the one before it, and change the data inside of the "
          + "block of performBatchUpdates."
      ]
    case .layoutAttributes, .layoutIgnored, .noLayoutAttributes:
      [
        "Let a layout of your own compute its attributes again after each update: drop what it keeps "
          + "in invalidateLayout, and read the numbers of items in prepare.",
        "Call reloadData after performFetch, on the main thread.",
      ]
    case .noCell, .cellNotDequeued:
      ["Return a cell from dequeueReusableCell(withIdentifier:for:) for every row."]
    case .noCellRegistered:
      [
        "Register the cell's class or nib under the same identifier in viewDidLoad, or give the "
          + "storyboard's prototype this identifier."
      ]
    case .cellDequeuedTwice:
      ["Dequeue one cell in each call, and return it. Configure a visible cell without dequeuing."]
    case .sectionMap:
      [
        "Implement controller(_:didChange:atSectionIndex:for:). Call insertSections for an insert "
          + "and deleteSections for a delete."
      ]
    case .updateInLayout:
      [
        "Do not update, reload or scroll a table in cellForRowAt, or while a cell is laid out. Do it "
          + "after the update."
      ]
    case .wrongIndexPath: ["Create index paths with IndexPath(row:section:)."]
    case .layoutOutsideWindow:
      [
        "While the table's window is nil, carry no callbacks out. Call reloadData when the view "
          + "appears."
      ]
    case .diffableView: ["Apply a snapshot in controller(_:didChangeContentWith:) instead."]
    case .itemsExist:
      [
        "Begin with an empty snapshot, or append new items only. Call reconfigureItems for an item "
          + "with new values."
      ]
    case .itemNotInSnapshot, .sectionNotInSnapshot:
      [
        "Read the snapshot with dataSource.snapshot() directly before you change it, append a section "
          + "before its items, and look with indexOfItem(_:) whether an item is there."
      ]
    case .backgroundThread:
      [
        "Give the controller a context of the main queue, such as viewContext. Its callbacks then come "
          + "on the main thread."
      ]
    case .wrongQueue:
      ["Use a context and its objects in perform { … } only, and pass object IDs between contexts."]
    case .changedInLoop:
      [
        "Loop over a copy: for object in Array(objects). Deleting objects changes relationships, too."
      ]
    case .temporaryID:
      ["Save the object, or call obtainPermanentIDs(for:), before another context uses its ID."]
    case .noCoordinator, .noStore:
      [
        "Create objects and requests after loadPersistentStores has succeeded, and look at its error."
      ]
    case .noEntityNamed, .noDescription:
      ["Compare the entity's name with the model's, and load the model of the right bundle."]
    case .noDesignatedInitializer: ["Create objects with init(context:)."]
    case .otherContext, .deletedInOtherContext:
      ["Look the object up in the same context first: context.object(with: other.objectID)."]
    case .wrongType:
      ["Convert the value before it is set, or change the attribute's type in the model."]
    case .noSuchKey:
      [
        "Compare the name with the model and the class: in predicates, sort descriptors, the section "
          + "key path and setValue(_:forKey:)."
      ]
    case .noSQL:
      [
        "Use attributes of the model in predicates and sort descriptors, without blocks and computed "
          + "properties. Filter the rest after the fetch."
      ]
    case .storeNotReachable, .invalidated:
      [
        "Drop the objects and call performFetch again after a context is reset or a store is changed."
      ]
    case .stillDirty:
      ["In willSave, set a value only if it differs from the present one."]
    case .recursiveSave:
      ["Do not save in a callback of a controller or in willSave. Save when the turn has ended."]
    case .twoModels:
      ["Load the model once, and use the same NSManagedObjectModel everywhere, in tests too."]
    case .otherModel: ["Keep the old version in the model, and add a new one with a migration."]
    case .mergeConflict:
      ["Set the context's mergePolicy, or refresh the objects and save again."]
    case .unknownSelector:
      ["Look at the class in the message, and at the line of the app in the call stack."]
    case .indexOutOfRange:
      [
        "Use the controller's object(at:) with index paths of the present sections. An array that was "
          + "copied from it may have other rows."
      ]
    case .foundNil:
      ["Look at the line of the app in the call stack, and unwrap the value with if let."]
    case .wrongCast:
      [
        "Set the class and the module of the entity in the model, and load the model of the same bundle."
      ]
    case .parameter:
      ["Look at the method in the call stack, and at the line of the app that calls it."]
    }
  }
}
