extension StatementTraits {
  /// Describes the statements of a kind: the one list of what they are made of and do.
  init(of kind: Statement.Kind) {
    switch kind {
    case .entity(let entity): self.init(defining: .entity(entity))
    case .model(let path, let version): self.init(defining: .model(path, version: version))
    case .storeMemory, .quirk: self.init(.changes, store: .never)
    case .storeSQLite(let value, _), .return(let value):
      self.init(.changes, .value(value), store: .never)
    case .save(let name): self.init(.saves, .context(name))
    case .rollback(let name): self.init(.rollsBack, .context(name))
    case .reset(let name): self.init(.resets, .context(name))
    case .process, .refreshAll, .deleteCaches: self.init(.changes)
    case .context(let context): self.init(defining: .context(context))
    case .merge(let source, let target): self.init(.changes, .context(source), .context(target))
    case .automerge(let name, _): self.init(.changes, .context(name), store: .never)
    case .refresh(let value, _), .deleteCache(let value): self.init(.changes, .value(value))
    case .undo: self.init(.undoes)
    case .redo: self.init(.redoes)
    case .insert(let insert): self.init(.inserts, .insert(insert))
    case .let(let name, let value): self.init(defining: .variable(name, value))
    case .assign(let old, _, let new): self.init(.changesObjects, .value(old), .value(new))
    case .update(let request, let values): self.init(.changesMatches, .update(request, values))
    case .importRows(let path, let name): self.init(.changes, .value(path), .name(name, .entity))
    case .delete(let target): self.init(.changesObjects, .target(target))
    case .deleteMatching(let request): self.init(.changesMatches, .request(request))
    case .perform(let name, _, let body):
      self.init(.runs, .context(name), .block(body), store: .never)
    case .for(let name, let values, let body):
      self.init(turnsOf: .scope(body, [LocalVariable(name.text, .element(of: values))]))
    case .if(let condition, let then, let otherwise):
      self.init(turnsOf: .value(condition), .block(then), .block(otherwise))
    case .repeat(let count, let body): self.init(turnsOf: .value(count), .scope(body, []))
    case .include(let path): self.init(turnsOf: .file(path))
    case .try(let statement): self.init(turnsOf: .attempt(statement))
    case .set(_, let value): self.init(.changes, .value(value), store: .forValues)
    case .request(let name, let request): self.init(defining: .request(name, request))
    case .storedRequest(let name, let stored): self.init(defining: .storedRequest(name, stored))
    case .controller(let name, let request): self.init(defining: .controller(name, request))
    case .fetch(let request): self.init(.fetches, .request(request))
    case .change(let name, let clauses): self.init(.changesRequest, .clauses(clauses, of: name))
    case .delegate(let name, .none): self.init(.stopsTracking, .name(name, .controller))
    case .delegate(let name, _): self.init(.changes, .name(name, .controller))
    case .ownDelegate(let name, let body):
      self.init(.changes, [.name(name, .controller)] + body.map { .callback($0, of: name) })
    case .table(let name, let controller, _): self.init(defining: .table(name, of: controller))
    case .suspend(let name): self.init(.suspends, .name(name, .table), store: .never)
    case .resume(let name): self.init(.resumes, .name(name, .table), store: .never)
    case .reload(let name), .trace(let name, _):
      self.init(.changes, .name(name, .table), store: .never)
    case .expect(let value), .print(let value): self.init(.looks, .value(value), store: .forValues)
    case .count(let request): self.init(.looks, .request(request))
    case .show(let name): self.init(.looks, .name(name, .controllerOrTable))
    case .showRequest(let name): self.init(.looks, .name(name, .controller))
    case .objects(let name): self.init(.looks, .name(name, .entity))
    case .caches, .stats: self.init(.looks)
    case .evaluate(let predicate, let value): self.init(.looks, .predicate(predicate, on: value))
    case .explain(let value): self.init(.looks, value.map { [.value($0)] } ?? [], store: .forValues)
    case .swift(let name): self.init(.looks, .name(name, .controllerOrEntity), store: .never)
    case .showModel: self.init(.looks, store: .never)
    }
  }
}
