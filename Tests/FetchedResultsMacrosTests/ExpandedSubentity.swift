/// The expansion for the class of a sub-entity.
extension ExpansionTests {
  static let subentityExpanded = #"""
    // member macro @Managed of Novel
    public let managedObject: ManagedObject

    public init(managedObject: ManagedObject) {
      self.managedObject = managedObject
    }

    public static let managedSchema = ManagedSchema<Novel>(
      "Novel", superentity: Book.self, identities: [\Novel.id, \Novel.objectID], properties: [
        .attribute("series", \Novel.series),
        .toOne("translator", \Novel.translator),
        .toMany("chapters", \Novel.chapters),
      ])

    public struct ManagedKeys: ManagedSubkeyPaths {
      public typealias Superkeys = Book.ManagedKeys

      public let managedPath: String

      public init(managedPath: String) {
        self.managedPath = managedPath
      }

      var series: ManagedKey<String?> {
        ManagedKey<String?>("series", of: self)
      }

      var translator: ManagedToOne<Person> {
        ManagedToOne<Person>("translator", of: self)
      }

      var chapters: ManagedToMany<Chapter> {
        ManagedToMany<Chapter>("chapters", of: self)
      }
    }

    public init(series: String? = nil, translator: Person? = nil, chapters: [Chapter] = [], in context: ManagedObjectContext) {
      self.managedObject = ManagedAccess.insert(Novel.self, into: context)
      self.series = series
      if translator != nil {
        self.translator = translator
      }
      if !chapters.isEmpty {
        self.chapters = chapters
      }
    }

    public var id: ObjectID {
      managedObject.objectID
    }

    public func addToChapters(_ object: Chapter) {
      ManagedAccess.add(CollectionOfOne(object), of: managedObject, at: Self.inheritedRelationships + 1)
    }

    public func addToChapters(_ objects: some Sequence<Chapter>) {
      ManagedAccess.add(objects, of: managedObject, at: Self.inheritedRelationships + 1)
    }

    public func removeFromChapters(_ object: Chapter) {
      ManagedAccess.remove(CollectionOfOne(object), of: managedObject, at: Self.inheritedRelationships + 1)
    }

    public func removeFromChapters(_ objects: some Sequence<Chapter>) {
      ManagedAccess.remove(objects, of: managedObject, at: Self.inheritedRelationships + 1)
    }

    // memberAttribute macro @Managed of series
    @_ManagedAttribute(at: 0, inherits: true)

    // memberAttribute macro @Managed of translator
    @_ManagedToOne(at: 0, inherits: true)

    // memberAttribute macro @Managed of chapters
    @_ManagedToMany(at: 1, inherits: true)

    // accessor macro @_ManagedAttribute of series
    {
        get {
          ManagedAccess.value(of: managedObject, at: Self.inheritedAttributes + 0)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, at: Self.inheritedAttributes + 0)
        }
    }

    // accessor macro @_ManagedToOne of translator
    {
        get {
          ManagedAccess.object(of: managedObject, at: Self.inheritedRelationships + 0)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, relationship: Self.inheritedRelationships + 0)
        }
    }

    // accessor macro @_ManagedToMany of chapters
    {
        get {
          ManagedAccess.objects(of: managedObject, at: Self.inheritedRelationships + 1)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, relationship: Self.inheritedRelationships + 1)
        }
    }

    // extension macro @Managed of Novel
    nonisolated extension Novel: ManagedEntity {
    }

    nonisolated extension Novel: ManagedSubentity {
      public typealias Superentity = Book
    }
    """#
}
