import Basics
import FetchedResults
import Foundation
import ScriptSyntax

/// Computes members, elements and method calls of values.
final class MemberAccess {
  private unowned let evaluator: Evaluator
  private let names: NameLookup
  private let frames: FrameStack

  init(_ evaluator: Evaluator, _ names: NameLookup, _ frames: FrameStack) {
    self.evaluator = evaluator
    self.names = names
    self.frames = frames
  }

  /// `dune.title`, `books.sections`, `books.fetchedObjects.count`.
  func member(
    _ name: Name, of owner: ScriptValue, _ range: Range<Int>
  ) throws(ScriptError) -> ScriptValue {
    switch owner {
    case .value(.object(let id)):
      let object = try names.readObject(id, range)
      if name.text == "objectID", object.entity.propertyIndex(named: name.text) == nil {
        return .value(object.uriRepresentation.map(PropertyValue.uri) ?? .null)
      }
      let index = try names.propertyIndex(name.text, in: object.entity, name.range)
      names.session.note(.read(id, key: name.text))
      return .value(object.value(at: index))
    case .value(.list(let values)): return try member(name, of: values)
    case .value(.string(let text)): return try member(name, of: text)
    case .value(.uri(let url)):
      // The members of `dune.objectID`. A temporary ID has a `t` before its number.
      guard name.text == "isTemporaryID", url.scheme == "x-coredata" else {
        throw names.unknownMember(
          name, of: url.scheme == "x-coredata" ? "an object ID" : "a URI",
          url.scheme == "x-coredata" ? MemberNames.ofObjectIDs : [])
      }
      return .value(.bool(url.lastPathComponent.hasPrefix("t")))
    case .value(let value): throw names.unknownMember(name, of: value.kind, [])
    case .range(let numbers):
      switch name.text {
      case "count":
        guard let length = numbers.length else { throw frames.failure(.overflow, range) }
        return .int(length)
      default: throw names.unknownMember(name, of: "a range", MemberNames.ofRanges)
      }
    case .controller(let binding): return try member(name, of: binding, range)
    case .history(let binding):
      guard name.text == "eventCounter" else {
        throw names.unknownMember(
          name, of: "observer '\(binding.name)'", MemberNames.ofHistoryObservers)
      }
      return .int(binding.history?.eventCounter ?? 0)
    case .fetchedObjects(let binding): return try member(name, ofFetchedObjects: binding, range)
    case .sections(let binding):
      guard name.text == "count" else {
        throw names.unknownMember(name, of: owner.kind, MemberNames.ofRanges)
      }
      return .int(try names.sections(of: binding, range).count)
    case .section(_, let section): return try member(name, of: section)
    }
  }

  private func member(
    _ name: Name, of values: [PropertyValue]
  ) throws(ScriptError) -> ScriptValue {
    switch name.text {
    case "count": return .int(values.count)
    case "isEmpty": return .value(.bool(values.isEmpty))
    case "first": return .value(values.first ?? .null)
    case "last": return .value(values.last ?? .null)
    default: throw names.unknownMember(name, of: "a list", MemberNames.ofLists)
    }
  }

  private func member(
    _ name: Name, ofFetchedObjects binding: ControllerBinding, _ range: Range<Int>
  ) throws(ScriptError) -> ScriptValue {
    guard let objects = binding.fetchedObjects else {
      throw frames.failure(.controller(.notFetched(binding.name)), range)
    }
    switch name.text {
    case "count": return .int(objects.count)
    case "isEmpty": return .value(.bool(objects.isEmpty))
    case "first": return .value(objects.first.map { .object($0.objectID) } ?? .null)
    case "last": return .value(objects.last.map { .object($0.objectID) } ?? .null)
    default: throw names.unknownMember(name, of: "a list", MemberNames.ofLists)
    }
  }

  private func member(_ name: Name, of text: String) throws(ScriptError) -> ScriptValue {
    switch name.text {
    // The length in UTF-16 units, as in a predicate and in NSString.
    case "length": return .int(text.utf16.count)
    case "count": return .int(text.count)
    case "isEmpty": return .value(.bool(text.isEmpty))
    default: throw names.unknownMember(name, of: "a string", MemberNames.ofStrings)
    }
  }

  private func member(
    _ name: Name, of binding: ControllerBinding, _ range: Range<Int>
  ) throws(ScriptError) -> ScriptValue {
    if binding.observer != nil { return try member(name, ofObserver: binding) }
    let controller = binding.controller
    switch name.text {
    // Both are nil before performFetch, as in an app.
    case "fetchedObjects": return .fetchedObjects(binding)
    case "sections": return .sections(binding)
    case "sectionIndexTitles":
      _ = try names.sections(of: binding, range)
      return .value(.list(controller.sectionIndexTitles.map(PropertyValue.string)))
    case "sectionNameKeyPath":
      return .value(controller.sectionNameKeyPath.map(PropertyValue.string) ?? .null)
    case "cacheName": return .value(controller.cacheName.map(PropertyValue.string) ?? .null)
    default:
      throw names.unknownMember(
        name, of: "controller '\(binding.name)'",
        MemberNames.ofControllers)
    }
  }

  private func member(
    _ name: Name, ofObserver binding: ControllerBinding
  ) throws(ScriptError) -> ScriptValue {
    names.session.note(.show(binding.name))
    switch name.text {
    case "results": return .fetchedObjects(binding)
    case "sections": return .sections(binding)
    default:
      throw names.unknownMember(name, of: "observer '\(binding.name)'", MemberNames.ofObservers)
    }
  }

  private func member(
    _ name: Name, of section: SeenSection
  ) throws(ScriptError) -> ScriptValue {
    switch name.text {
    case "name": return .value(.string(section.name))
    case "indexTitle": return .value(.string(section.indexTitle))
    case "numberOfObjects": return .int(section.numberOfObjects)
    case "objects":
      return .value(.list(Array(section.objects).map { .object($0.objectID) }))
    default:
      throw names.unknownMember(
        name, of: "a section", MemberNames.ofSections)
    }
  }
}

// MARK: - Elements

extension MemberAccess {
  /// `books[0, 1]`, `books.sections[0]`, `list[2]`.
  func element(
    of value: ScriptValue, _ place: Range<Int>, at indices: [PreparedExpression],
    _ range: Range<Int>
  ) throws(ScriptError) -> ScriptValue {
    if case .controller(let binding) = value {
      if indices.count == 1, binding.observer != nil {
        return try objects(ofSection: indices[0], in: binding, place)
      }
      guard indices.count == 2 else {
        throw frames.failure(
          .wrongArguments("\(binding.name)[…]", usage: "\(binding.name)[0, 1]"), range)
      }
      let section = try evaluator.integer(indices[0])
      let row = try evaluator.integer(indices[1])
      let path = ResultsIndexPath(section: Int(clamping: section), row: Int(clamping: row))
      guard binding.sections != nil else {
        throw frames.failure(.controller(.accessBeforeFetch(binding.name)), place)
      }
      return try frames.locating(range) {
        .value(.object(try binding.object(at: path).objectID))
      }
    }
    guard indices.count == 1 else {
      throw frames.failure(.needed("one index", found: "\(indices.count)"), range)
    }
    let index = try evaluator.integer(indices[0])
    switch value {
    case .value(.list(let values)):
      try check(index, count: values.count, indices[0].range)
      return .value(values[Int(index)])
    case .fetchedObjects(let binding):
      guard let objects = binding.fetchedObjects else {
        throw frames.failure(.controller(.notFetched(binding.name)), place)
      }
      try check(index, count: objects.count, indices[0].range)
      return .value(.object(objects[Int(index)].objectID))
    case .sections(let binding):
      let sections = try names.sections(of: binding, place)
      try check(index, count: sections.count, indices[0].range)
      return .section(binding, sections[Int(index)])
    case .value, .range, .controller, .history, .section:
      throw frames.failure(.notIndexable(found: value.kind), place)
    }
  }

  /// `books["Ace"]`: the objects of an observer's section; nil if there is none of this name.
  private func objects(
    ofSection name: PreparedExpression, in binding: ControllerBinding, _ place: Range<Int>
  ) throws(ScriptError) -> ScriptValue {
    let name = try evaluator.string(name)
    guard let section = try names.sections(of: binding, place).section(named: name) else {
      return .null
    }
    return .value(.list(section.objects.map { .object($0.objectID) }))
  }

  private func check(_ index: Int64, count: Int, _ range: Range<Int>) throws(ScriptError) {
    guard index >= 0, index < count else {
      throw frames.failure(.indexOutOfRange(index, count: count), range)
    }
  }
}

// MARK: - Methods

extension MemberAccess {
  /// `books.indexPath(forObject: dune)`.
  func call(
    _ name: Name, of owner: ScriptValue, _ arguments: [PreparedArgument],
    _ range: Range<Int>
  ) throws(ScriptError) -> ScriptValue {
    guard case .controller(let binding) = owner else {
      throw names.unknownMember(name, of: owner.kind, [])
    }
    let controller = binding.controller
    let labels = arguments.map { $0.label ?? "_" }
    let isObserver = binding.observer != nil
    switch (name.text, labels) {
    case ("indexPath", ["forObject"]) where !isObserver, ("indexPath", ["for"]) where isObserver:
      _ = try names.sections(of: binding, name.range)
      let value = try evaluator.scalar(arguments[0].value)
      guard case .object(let id) = value else {
        throw frames.notAnObject(value.kind, arguments[0].value.range)
      }
      guard let path = binding.indexPath(forObjectID: id) else { return .null }
      return .value(.list([.int(Int64(path.section)), .int(Int64(path.row))]))
    case ("object", ["at"]) where !isObserver, ("element", ["at"]) where isObserver:
      guard binding.sections != nil else {
        throw frames.failure(.controller(.accessBeforeFetch(binding.name)), name.range)
      }
      return try object(of: binding, at: arguments[0].value, range)
    case ("sectionIndexTitle", ["forSectionName"]) where !isObserver:
      let title = controller.sectionIndexTitle(
        forSectionName: try evaluator.string(arguments[0].value))
      return .value(.string(title))
    case ("section", ["forSectionIndexTitle", "at"]) where !isObserver:
      let title = try evaluator.string(arguments[0].value)
      let index = try evaluator.integer(arguments[1].value)
      _ = try names.sections(of: binding, name.range)
      return try frames.locating(range) {
        .int(try controller.section(forSectionIndexTitle: title, at: Int(clamping: index)))
      }
    default:
      let methods = MemberNames.methods(isOfObservers: isObserver)
      if let usage = methods[name.text] {
        throw frames.failure(.wrongArguments(name.text, usage: usage), range)
      }
      throw names.unknownMember(
        name, of: "\(isObserver ? "observer" : "controller") '\(binding.name)'",
        methods.keys.sorted())
    }
  }

  private func object(
    of binding: ControllerBinding, at path: PreparedExpression, _ range: Range<Int>
  ) throws(ScriptError) -> ScriptValue {
    guard case .list(let indices) = try evaluator.scalar(path), indices.count == 2,
      let section = indices[0].int, let row = indices[1].int
    else {
      throw frames.failure(.wrongArguments("object", usage: "object(at: [SECTION, ROW])"), range)
    }
    let indexPath = ResultsIndexPath(section: Int(clamping: section), row: Int(clamping: row))
    return try frames.locating(range) {
      .value(.object(try binding.object(at: indexPath).objectID))
    }
  }
}

/// The names that can follow the dot of a value, for suggestions and completion.
package enum MemberNames {
  package static let ofControllers = [
    "cacheName", "fetchedObjects", "sectionIndexTitles", "sectionNameKeyPath", "sections",
  ]
  package static let ofObservers = ["results", "sections"]
  package static let ofHistoryObservers = ["eventCounter"]
  package static let ofLists = ["count", "first", "isEmpty", "last"]
  package static let ofObjectIDs = ["isTemporaryID"]
  package static let ofRanges = ["count"]
  package static let ofSections = ["indexTitle", "name", "numberOfObjects", "objects"]
  package static let ofStrings = ["count", "isEmpty", "length"]

  /// The methods of controllers, with their call forms.
  package static let methods = [
    "indexPath": "indexPath(forObject: OBJECT)",
    "object": "object(at: [SECTION, ROW])",
    "section": "section(forSectionIndexTitle: TITLE, at: INDEX)",
    "sectionIndexTitle": "sectionIndexTitle(forSectionName: NAME)",
  ]

  /// The methods of observers, with their call forms.
  static let observerMethods = [
    "element": "element(at: [SECTION, ROW])",
    "indexPath": "indexPath(for: OBJECT)",
  ]

  /// Returns the labels of a method's arguments.
  package static func labels(of method: String) -> [String] {
    (methods[method] ?? observerMethods[method]).map(labels(in:)) ?? []
  }

  /// Returns the methods of controllers or of observers, with their call forms.
  package static func methods(isOfObservers: Bool) -> [String: String] {
    isOfObservers ? observerMethods : methods
  }

  /// Returns the labels in a call form.
  package static func labels(in usage: String) -> [String] {
    usage.split { $0 == "(" || $0 == " " || $0 == "," }
      .filter { $0.hasSuffix(":") }.map { String($0.dropLast()) }
  }
}
