package io.millrace.backend.gcs;

import java.util.List;
import java.util.Optional;

/**
 * A page of a listing, as the server sends it.
 *
 * @param token of the next page; empty on the last
 */
record ObjectListPage(List<NamedObject> objects, List<String> prefixes, Optional<String> token) {
    /** An object and its name. */
    record NamedObject(String name, ObjectDescription description) {}

    ObjectListPage {
        objects = List.copyOf(objects);
        prefixes = List.copyOf(prefixes);
    }

    boolean isEmpty() {
        return objects.isEmpty() && prefixes.isEmpty();
    }
}
