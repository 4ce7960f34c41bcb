import ScriptSyntax

extension Statement {
  /// The statement in a normal form for tests.
  ///
  /// The arguments of predicates are in braces after the request.
  var shape: String {
    switch kind {
    case .entity(let entity): entity.shape
    case .model(let path, let version): "model \(path)" + (version.map { " version \($0)" } ?? "")
    case .storedRequest(let name, let stored): "request \(name.text) = stored \(stored)"
    case .showModel: "show model"
    case .storeMemory(let options): "store memory\(options.text)"
    case .importRows(let path, let entity): "import \(path) into \(entity.text)"
    case .storeSQLite(let path, let options): "store sqlite \(path)\(options.text)"
    case .save(let context): "save" + context.shape
    case .rollback(let context): "rollback" + context.shape
    case .reset(let context): "reset" + context.shape
    case .context(let context):
      "context \(context.name.text)" + (context.parent.map { " parent \($0.text)" } ?? "")
        + (context.policy.map { " policy \($0.text)" } ?? "")
    case .merge(let source, into: let target): "merge \(source.text) into \(target.text)"
    case .mergeHistory(let author, into: let target):
      "merge history" + (author.map { " by \($0)" } ?? "") + " into \(target.text)"
    case .automerge(let context, let isOn): "automerge \(context.text) \(isOn ? "on" : "off")"
    case .observe(let context, let isOn): "observe \(context.text)\(isOn ? "" : " off")"
    case .refresh(let object, let isMerging): "refresh \(object)" + (isMerging ? " merging" : "")
    case .refreshAll: "refresh all"
    case .undo: "undo"
    case .redo: "redo"
    case .process: "process"
    case .insert(let insert): insert.description
    case .let(let name, let value): "let \(name.text) = \(value)"
    case .assign(let target, let sign, let value): "\(target) \(sign.rawValue) \(value)"
    case .update(let request, let values): "update \(request.shape) \(values.shape)"
    case .batch(let batch): batch.shape
    case .obtainIDs(let value): "obtain permanent ids" + (value.map { " for \($0)" } ?? "")
    case .delete(let value): "delete \(value)"
    case .deleteMatching(let request): "delete matching \(request.shape)"
    case .perform(let context, let isStepping, let statements):
      "perform\(context.shape)\(isStepping ? " stepping" : "") \(statements.shape)"
    case .for(let name, in: let values, let statements):
      "for \(name.text) in \(values) \(statements.shape)"
    case .if(let condition, then: let yes, else: let no):
      "if \(condition) \(yes.shape)" + (no.isEmpty ? "" : " else \(no.shape)")
    case .repeat(let count, let statements): "repeat \(count) \(statements.shape)"
    case .extension(let author, let statements):
      "extension" + (author.map { " \($0)" } ?? "") + " \(statements.shape)"
    case .history(let author, let number):
      "history" + (author.map { " by \($0)" } ?? "") + (number.map { " after \($0)" } ?? "")
    case .deleteHistory(let number): "delete history" + (number.map { " before \($0)" } ?? "")
    case .include(let path, let isAlone): "include \(path)\(isAlone ? " alone" : "")"
    case .set(let setting, let value): "set \(setting.rawValue) \(value)"
    case .expect(let value): "expect \(value)"
    case .try(let statement): "try \(statement.shape)"
    case .request(let name, let request): "request \(name.text) = \(request.shape)"
    case .controller(let name, let request): "controller \(name.text) = \(request.shape)"
    case .observer(let name, let observed): "observer \(name.text) = \(observed.shape)"
    case .fetch(let request): "fetch \(request.shape)"
    case .count(let request): "count \(request.shape)"
    case .change(let name, let clauses): "change \(clauses.shape(of: name))"
    case .delegate(let name, let mode): "delegate \(name.text) \(mode.rawValue)"
    case .ownDelegate(let name, let callbacks):
      "delegate \(name.text) { " + callbacks.map(\.shape).joined(separator: " ") + " }"
    case .return(let value): "return \(value)"
    case .deleteCache(let name): "delete cache \(name)"
    case .deleteCaches: "delete caches"
    case .table(let name, of: let controller, let syntax):
      "table \(name.text) = \(controller.text)\(syntax.shape)"
    case .suspend(let name): "suspend \(name.text)"
    case .resume(let name): "resume \(name.text)"
    case .reload(let name): "reload \(name.text)"
    case .trace(let name, let isOn): "trace \(name.text) \(isOn ? "on" : "off")"
    case .show(let name): "show \(name.text)"
    case .showRequest(let name): "show request of \(name.text)"
    case .objects(let name): "objects \(name.text)"
    case .print(let value): "print \(value)"
    case .caches: "caches"
    case .stats: "stats"
    case .explain(let object): "explain" + (object.map { " \($0)" } ?? "")
    case .swift(let name): "swift \(name.text)"
    case .swiftStatement(let coded): "swift \(coded.statement.shape)"
    case .quirk(let quirk, let isOn): "quirk \(quirk.rawValue) \(isOn ? "on" : "off")"
    case .evaluate(let predicate, on: let object): "evaluate \(predicate.tree) on \(object)"
    }
  }
}

extension Name? {
  var shape: String { map { " \($0.text)" } ?? "" }
}

extension TableSyntax {
  var shape: String {
    switch self {
    case .template: ""
    case .reload: " reload"
    case .reactions(let lines): " { " + lines.map(\.shape).joined(separator: "; ") + " }"
    }
  }
}

extension TableReactionSyntax {
  var shape: String {
    "\(change.rawValue) " + reactions.map(\.rawValue).joined(separator: " ")
  }
}

extension CallbackSyntax {
  var shape: String {
    callback.rawValue + (parameter.map { " \($0.text)" } ?? "") + " \(body.shape)"
  }
}

extension [Statement] {
  var shape: String { isEmpty ? "{}" : "{ " + map(\.shape).joined(separator: "; ") + " }" }
}

extension RequestSyntax {
  var shape: String {
    let arguments = (clauses.predicate?.arguments ?? []).map(\.description)
    return description
      + (arguments.isEmpty ? "" : " {" + arguments.joined(separator: ", ") + "}")
  }
}

extension ObserverSyntax {
  var shape: String {
    switch self {
    case .results(let request): request.shape
    case .history(of: let entities, by: let authors):
      "history"
        + (entities.isEmpty ? "" : " of " + entities.map(\.text).joined(separator: ", "))
        + (authors.isEmpty ? "" : " by " + authors.map(\.description).joined(separator: ", "))
    }
  }
}

extension RequestClauses {
  func shape(of name: Name) -> String {
    RequestSyntax(source: name, clauses: self, range: name.range).shape
  }
}

extension EntityDeclaration {
  var shape: String {
    var parts = properties.map(\.shape)
    parts += uniqueness.map { "unique (" + $0.map(\.text).joined(separator: ", ") + ")" }
    parts += indexes.map { index in
      "index \(index.name.text) ("
        + index.keys.map { $0.name.text + ($0.isAscending ? "" : " desc") }.joined(separator: ", ")
        + ")"
    }
    parts += hooks.map { "on \($0.hook.rawValue) \($0.body.shape)" }
    if let display { parts.append("display \(display.text)") }
    return (isAbstract ? "abstract " : "") + "entity \(name.text)"
      + (parent.map { " : \($0.text)" } ?? "") + " { " + parts.joined(separator: ", ") + " }"
  }
}

extension PropertyDeclaration {
  var shape: String {
    (isTransient ? "transient " : "") + (isDerived ? "derived " : "") + "\(name.text): "
      + (isToMany ? "[\(type.text)]" : type.text) + (isOptional ? "?" : "")
      + (isOrdered ? " ordered" : "") + (isIndexed ? " indexed" : "")
      + (minimum.map { " min \($0)" } ?? "")
      + (maximum.map { " max \($0)" } ?? "") + (pattern.map { " matching \($0)" } ?? "")
      + (value.map { " = \($0)" } ?? "") + (inverse.map { " inverse \($0.text)" } ?? "")
      + (deleteRule.map { " on delete \($0.text)" } ?? "")
  }
}

extension BatchSyntax {
  fileprivate var shape: String {
    let action =
      switch action {
      case .insert(let inserts):
        "insert "
          + inserts.map { $0.description.dropFirst("insert ".count) }.joined(separator: ", ")
      case .update(let request, let values): "update \(request.shape) \(values.shape)"
      case .delete(let request): "delete \(request.shape)"
      }
    // A request has its result among its clauses.
    switch self.action {
    case .delete: return "batch \(action)"
    case .update(let request, _) where request.clauses.result != nil: return "batch \(action)"
    case .insert, .update: break
    }
    return "batch \(action)" + (result == .objectIDs ? "" : " returning \(result.rawValue)")
  }
}

extension [AttributeAssignment] {
  fileprivate var shape: String {
    "{ "
      + map { "\($0.attribute.text) \($0.operator.rawValue) \($0.value)" }
      .joined(separator: ", ") + " }"
  }
}

extension CodedStatement {
  /// The statement by itself.
  fileprivate var statement: Statement {
    let kind: Statement.Kind =
      switch action {
      case .batch(let batch): .batch(batch)
      case .count(let request): .count(request)
      case .fetch(let request): .fetch(request)
      case .merge(let source, into: let target): .merge(source, into: target)
      case .mergeHistory(by: let author, into: let target):
        .mergeHistory(by: author, into: target)
      case .history(by: let author, after: let number): .history(by: author, after: number)
      case .deleteHistory(before: let number): .deleteHistory(before: number)
      case .obtainIDs(let value): .obtainIDs(value)
      }
    return Statement(kind, range: range)
  }
}
