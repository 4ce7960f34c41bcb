import FetchedResults

/// The variables of a session, and those of the loops and callbacks that run in it.
///
/// A name has a *slot*, a number that never changes. A prepared expression looks up the slot of a
/// name once, and later finds the value without comparing texts.
///
/// The bindings of all scopes are in one list. A binding knows the next outer one of its slot, and
/// each slot its innermost one. So finding, setting and leaving cost O(1) each, with any number of
/// names.
package final class VariableTable {
  /// A variable of a loop or a callback.
  private struct Binding {
    let slot: Int
    /// The index of the binding that this one hides; -1 if there is none.
    let outer: Int
    var value: ScriptValue
  }

  /// The part of the table that the running statements see, besides the session's variables.
  struct View {
    /// The index of the first visible binding.
    ///
    /// A callback sees none of the statement that caused it.
    fileprivate var firstBinding = 0
    fileprivate var firstScope = 0
  }

  private var slots: [String: Int] = [:]
  private var names: [String] = []
  // Unchecked for speed: no other code runs during an access.
  /// The session's own variables, by slot.
  @exclusivity(unchecked) private var own: ContiguousArray<ScriptValue?> = []
  /// For each slot, the index of its innermost binding; -1 if there is none.
  @exclusivity(unchecked) private var innermost: ContiguousArray<Int> = []
  @exclusivity(unchecked) private var bindings: ContiguousArray<Binding> = []
  /// For each scope, the index of its first binding.
  @exclusivity(unchecked) private var scopes: ContiguousArray<Int> = []
  @exclusivity(unchecked) private var view = View()

  /// Counts the memory of the values; nil if there is no limit.
  @exclusivity(unchecked) var memory: MemoryMeter?

  /// Returns the slot of a name, whether or not the name has a value.
  func slot(of name: String) -> Int {
    if let slot = slots[name] { return slot }
    slots[name] = names.count
    names.append(name)
    own.append(nil)
    innermost.append(-1)
    return names.count - 1
  }

  // MARK: Values

  /// Returns the value of the innermost visible variable.
  @inline(__always)
  func value(at slot: Int) -> ScriptValue? {
    let place = innermost[slot]
    return place >= view.firstBinding ? bindings[place].value : own[slot]
  }

  func value(named name: String) -> ScriptValue? { slots[name].flatMap { value(at: $0) } }

  /// Returns the value of one of the session's own variables.
  func ownValue(named name: String) -> ScriptValue? { slots[name].flatMap { own[$0] } }

  /// The names of the session's own variables.
  ///
  /// This is a list because the prompt reads it at every key. Other modules would walk through a
  /// lazy sequence slowly, without knowing its type.
  var ownNames: [String] {
    var found: [String] = []
    found.reserveCapacity(names.count)
    for slot in names.indices where own[slot] != nil { found.append(names[slot]) }
    return found
  }

  /// The names of all visible variables, sorted.
  var namesInSight: [String] {
    names.indices.filter { innermost[$0] >= view.firstBinding || own[$0] != nil }
      .map { names[$0] }.sorted()
  }

  /// Sets a variable of the innermost scope; without a scope, one of the session.
  func set(_ slot: Int, to value: ScriptValue) {
    guard scopes.count > view.firstScope, let first = scopes.last else {
      memory?.noteVariable(from: own[slot], to: value)
      own[slot] = value
      return
    }
    let place = innermost[slot]
    if place >= first {
      memory?.noteVariable(from: bindings[place].value, to: value)
      bindings[place].value = value
      return
    }
    memory?.noteVariable(from: nil, to: value)
    innermost[slot] = bindings.count
    bindings.append(Binding(slot: slot, outer: place, value: value))
  }

  func setOwn(_ name: String, to value: ScriptValue) { own[slot(of: name)] = value }

  // MARK: Scopes

  func pushScope() { scopes.append(bindings.count) }

  /// Ends the innermost scope and its variables.
  func popScope() {
    guard let first = scopes.popLast() else { return }
    while bindings.count > first {
      let binding = bindings.removeLast()
      memory?.noteVariable(from: binding.value, to: nil)
      innermost[binding.slot] = binding.outer
    }
  }

  /// Starts a callback, which sees its own variables and the session's.
  ///
  /// - Returns: The view to pass to ``leave(to:)``.
  func enter(with values: [String: ScriptValue]) -> View {
    let outer = view
    view = View(firstBinding: bindings.count, firstScope: scopes.count)
    pushScope()
    for (name, value) in values { set(slot(of: name), to: value) }
    return outer
  }

  /// Ends a callback.
  func leave(to outer: View) {
    while scopes.count > view.firstScope { popScope() }
    view = outer
  }

  /// Updates variables after objects got other numbers.
  func renumber(_ ids: [ObjectID: ObjectID]) {
    for slot in own.indices { own[slot] = own[slot]?.renumbered(ids) }
    for place in bindings.indices {
      bindings[place].value = bindings[place].value.renumbered(ids)
    }
  }
}
