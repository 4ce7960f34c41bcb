import TypedEngine

// What @Managed makes of two classes, in short.

final class Author: ManagedEntity {
  let managedObject: ManagedObject
  static let managedSchema = ManagedSchema<Author>(
    "Author", properties: [.attribute("name", \Author.name), .toMany("books", \Author.books)])

  struct ManagedKeys: ManagedKeyPaths {
    let managedPath: String
    var name: ManagedKey<String?> { ManagedKey<String?>("name", of: self) }
    var books: ManagedToMany<Book> { ManagedToMany<Book>("books", of: self) }
  }

  init(managedObject: ManagedObject) { self.managedObject = managedObject }

  init(in context: ManagedObjectContext) {
    managedObject = ManagedAccess.insert(Author.self, into: context)
  }

  var id: ObjectID { objectID }

  var name: String? {
    get { ManagedAccess.value(of: managedObject, at: 0) }
    set { ManagedAccess.set(newValue, of: managedObject, at: 0) }
  }

  var books: Set<Book> {
    get { ManagedAccess.objects(of: managedObject, at: 0) }
    set { ManagedAccess.set(newValue, of: managedObject, relationship: 0) }
  }
}

final class Book: ManagedEntity {
  let managedObject: ManagedObject
  static let managedSchema = ManagedSchema<Book>(
    "Book", properties: [.attribute("title", \Book.title), .toOne("author", \Book.author)])

  struct ManagedKeys: ManagedKeyPaths {
    let managedPath: String
    var title: ManagedKey<String?> { ManagedKey<String?>("title", of: self) }
    var author: ManagedToOne<Author> { ManagedToOne<Author>("author", of: self) }
  }

  init(managedObject: ManagedObject) { self.managedObject = managedObject }

  init(in context: ManagedObjectContext) {
    managedObject = ManagedAccess.insert(Book.self, into: context)
  }

  var id: ObjectID { objectID }

  var title: String? {
    get { ManagedAccess.value(of: managedObject, at: 0) }
    set { ManagedAccess.set(newValue, of: managedObject, at: 0) }
  }

  var author: Author? {
    get { ManagedAccess.object(of: managedObject, at: 0) }
    set { ManagedAccess.set(newValue, of: managedObject, relationship: 0) }
  }
}

final class Magazine: ManagedEntity {
  let managedObject: ManagedObject
  static let managedSchema = ManagedSchema<Magazine>(
    "Magazine", properties: [.attribute("title", \Magazine.title)])

  struct ManagedKeys: ManagedKeyPaths {
    let managedPath: String
    var title: ManagedKey<String?> { ManagedKey<String?>("title", of: self) }
  }

  init(managedObject: ManagedObject) { self.managedObject = managedObject }

  init(in context: ManagedObjectContext) {
    managedObject = ManagedAccess.insert(Magazine.self, into: context)
  }

  var id: ObjectID { objectID }

  var title: String? {
    get { ManagedAccess.value(of: managedObject, at: 0) }
    set { ManagedAccess.set(newValue, of: managedObject, at: 0) }
  }
}
