/// The expansions for the classes of ``ExpansionTests``.
extension ExpansionTests {
  static let attributesExpanded = #"""
    // member macro @Managed of Book
    public let managedObject: ManagedObject

    public init(managedObject: ManagedObject) {
      self.managedObject = managedObject
    }

    public static let managedSchema = ManagedSchema<Book>(
      "Book", originalName: "Volume", identities: [\Book.id, \Book.objectID], properties: [
        .attribute("title", \Book.title),
        .attribute("pages", \Book.pages, default: 0),
        .attribute("genre", \Book.genre, default: .fiction),
        .attribute("created", \Book.created),
        .attribute("class", \Book.`class`),
        .attribute("cover", \Book.cover, options: [.unique, .allowsExternalBinaryDataStorage], minimum: 1),
        .attribute("seen", \Book.seen, default: false, isTransient: true),
        .attribute("count", \Book.count, derivation: AttributeExpression.count),
      ])

    public struct ManagedKeys: ManagedKeyPaths {
      public let managedPath: String

      public init(managedPath: String) {
        self.managedPath = managedPath
      }

      public var title: ManagedKey<String> {
        ManagedKey<String>("title", of: self)
      }

      var pages: ManagedKey<Int> {
        ManagedKey<Int>("pages", of: self)
      }

      var genre: ManagedKey<Genre> {
        ManagedKey<Genre>("genre", of: self)
      }

      var created: ManagedKey<Date> {
        ManagedKey<Date>("created", of: self)
      }

      var `class`: ManagedKey<String?> {
        ManagedKey<String?>("class", of: self)
      }

      var cover: ManagedKey<Data?> {
        ManagedKey<Data?>("cover", of: self)
      }

      var seen: ManagedKey<Bool> {
        ManagedKey<Bool>("seen", of: self)
      }

      var count: ManagedKey<Int64> {
        ManagedKey<Int64>("count", of: self)
      }
    }

    public init(title: String, pages: Int = 0, genre: Genre = .fiction, created: Date = .now, `class`: String? = nil, cover: Data? = nil, seen: Bool = false, in context: ManagedObjectContext) {
      self.managedObject = ManagedAccess.insert(Book.self, into: context)
      self.title = title
      self.pages = pages
      self.genre = genre
      self.created = created
      self.`class` = `class`
      self.cover = cover
      self.seen = seen
    }

    public var id: ObjectID {
      managedObject.objectID
    }

    // memberAttribute macro @Managed of title
    @_ManagedAttribute(at: 0)

    // memberAttribute macro @Managed of pages
    @_ManagedAttribute(at: 1)

    // memberAttribute macro @Managed of genre
    @_ManagedAttribute(at: 2)

    // memberAttribute macro @Managed of created
    @_ManagedAttribute(at: 3)

    // memberAttribute macro @Managed of class
    @_ManagedAttribute(at: 4)

    // memberAttribute macro @Managed of cover
    @_ManagedAttribute(at: 5)

    // memberAttribute macro @Managed of seen
    @_ManagedAttribute(at: 6)

    // memberAttribute macro @Managed of count
    @_ManagedAttribute(at: 7)

    // accessor macro @_ManagedAttribute of title
    {
        get {
          ManagedAccess.value(of: managedObject, at: 0)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, at: 0)
        }
    }

    // accessor macro @_ManagedAttribute of pages
    {
        get {
          ManagedAccess.value(of: managedObject, at: 1, default: 0)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, at: 1)
        }
    }

    // accessor macro @_ManagedAttribute of genre
    {
        get {
          ManagedAccess.value(of: managedObject, at: 2, default: .fiction)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, at: 2)
        }
    }

    // accessor macro @_ManagedAttribute of created
    {
        get {
          ManagedAccess.value(of: managedObject, at: 3, default: .now)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, at: 3)
        }
    }

    // accessor macro @_ManagedAttribute of class
    {
        get {
          ManagedAccess.value(of: managedObject, at: 4)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, at: 4)
        }
    }

    // accessor macro @_ManagedAttribute of cover
    {
        get {
          ManagedAccess.value(of: managedObject, at: 5)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, at: 5)
        }
    }

    // accessor macro @_ManagedAttribute of seen
    {
        get {
          ManagedAccess.value(of: managedObject, at: 6, default: false)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, at: 6)
        }
    }

    // accessor macro @_ManagedAttribute of count
    {
        get {
          ManagedAccess.value(of: managedObject, at: 7)
        }
    }

    // extension macro @Managed of Book
    nonisolated extension Book: ManagedEntity {
    }
    """#

  static let relationshipsExpanded = #"""
    // member macro @Managed of Author
    let managedObject: ManagedObject

    init(managedObject: ManagedObject) {
      self.managedObject = managedObject
    }

    static let managedSchema = ManagedSchema<Author>(
      "Author", identities: [\Author.objectID], properties: [
        .attribute("id", \Author.id),
        .toOne("publisher", \Author.publisher, inverse: \Publisher.authors, isOptional: false),
        .toMany("books", \Author.books, deleteRule: .cascade),
        .toMany("names", \Author.names),
      ])

    struct ManagedKeys: ManagedKeyPaths {
      let managedPath: String

      init(managedPath: String) {
        self.managedPath = managedPath
      }

      var id: ManagedKey<UUID> {
        ManagedKey<UUID>("id", of: self)
      }

      var publisher: ManagedToOne<Publisher> {
        ManagedToOne<Publisher>("publisher", of: self)
      }

      var books: ManagedToMany<Book> {
        ManagedToMany<Book>("books", of: self)
      }

      var names: ManagedToMany<Name> {
        ManagedToMany<Name>("names", of: self)
      }
    }

    init(id: UUID, publisher: Publisher? = nil, books: Set<Book> = [], names: [Name] = [], in context: ManagedObjectContext) {
      self.managedObject = ManagedAccess.insert(Author.self, into: context)
      self.id = id
      if publisher != nil {
        self.publisher = publisher
      }
      if !books.isEmpty {
        self.books = books
      }
      if !names.isEmpty {
        self.names = names
      }
    }

    func addToBooks(_ object: Book) {
      ManagedAccess.add(CollectionOfOne(object), of: managedObject, at: 1)
    }

    func addToBooks(_ objects: some Sequence<Book>) {
      ManagedAccess.add(objects, of: managedObject, at: 1)
    }

    func removeFromBooks(_ object: Book) {
      ManagedAccess.remove(CollectionOfOne(object), of: managedObject, at: 1)
    }

    func removeFromBooks(_ objects: some Sequence<Book>) {
      ManagedAccess.remove(objects, of: managedObject, at: 1)
    }

    func addToNames(_ object: Name) {
      ManagedAccess.add(CollectionOfOne(object), of: managedObject, at: 2)
    }

    func addToNames(_ objects: some Sequence<Name>) {
      ManagedAccess.add(objects, of: managedObject, at: 2)
    }

    func removeFromNames(_ object: Name) {
      ManagedAccess.remove(CollectionOfOne(object), of: managedObject, at: 2)
    }

    func removeFromNames(_ objects: some Sequence<Name>) {
      ManagedAccess.remove(objects, of: managedObject, at: 2)
    }

    // memberAttribute macro @Managed of id
    @_ManagedAttribute(at: 0)

    // memberAttribute macro @Managed of publisher
    @_ManagedToOne(at: 0)

    // memberAttribute macro @Managed of books
    @_ManagedToMany(at: 1)

    // memberAttribute macro @Managed of names
    @_ManagedToMany(at: 2)

    // accessor macro @_ManagedAttribute of id
    {
        get {
          ManagedAccess.value(of: managedObject, at: 0)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, at: 0)
        }
    }

    // accessor macro @_ManagedToOne of publisher
    {
        get {
          ManagedAccess.object(of: managedObject, at: 0)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, relationship: 0)
        }
    }

    // accessor macro @_ManagedToMany of books
    {
        get {
          ManagedAccess.objects(of: managedObject, at: 1)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, relationship: 1)
        }
    }

    // accessor macro @_ManagedToMany of names
    {
        get {
          ManagedAccess.objects(of: managedObject, at: 2)
        }
        set {
          ManagedAccess.set(newValue, of: managedObject, relationship: 2)
        }
    }

    // extension macro @Managed of Author
    nonisolated extension Author: ManagedEntity {
    }
    """#

  static let emptyExpanded = #"""
    // member macro @Managed of Empty
    let managedObject: ManagedObject

    init(managedObject: ManagedObject) {
      self.managedObject = managedObject
    }

    static let managedSchema = ManagedSchema<Empty>(
      "Thing", identities: [\Empty.id, \Empty.objectID], properties: [])

    struct ManagedKeys: ManagedKeyPaths {
      let managedPath: String

      init(managedPath: String) {
        self.managedPath = managedPath
      }
    }

    init(in context: ManagedObjectContext) {
      self.managedObject = ManagedAccess.insert(Empty.self, into: context)
    }

    var id: ObjectID {
      managedObject.objectID
    }

    // extension macro @Managed of Empty
    nonisolated extension Empty: ManagedEntity {
    }
    """#

  static let plainExpanded = #"""
    // member macro @Managed of Plain
    let managedObject: ManagedObject

    init(managedObject: ManagedObject) {
      self.managedObject = managedObject
    }

    static let managedSchema = ManagedSchema<Plain>(
      "Plain", identities: [\Plain.id, \Plain.objectID], properties: [])

    struct ManagedKeys: ManagedKeyPaths {
      let managedPath: String

      init(managedPath: String) {
        self.managedPath = managedPath
      }
    }

    init(in context: ManagedObjectContext) {
      self.managedObject = ManagedAccess.insert(Plain.self, into: context)
    }

    var id: ObjectID {
      managedObject.objectID
    }

    // extension macro @Managed of Plain
    nonisolated extension Plain: ManagedEntity {
    }
    """#
}
