package io.millrace.loadgen;

import io.millrace.loadgen.client.ObjectCatalog;
import io.millrace.loadgen.client.TestObject;
import java.util.List;

/** Objects that a bucket has already, from a listing or a list of keys. All keys are held in memory. */
record ExistingObjects(List<TestObject> objects) implements ObjectCatalog {
    /**
     * @throws IllegalArgumentException if there are no objects
     */
    ExistingObjects {
        if (objects.isEmpty()) {
            throw new IllegalArgumentException("there are no objects");
        }
        objects = List.copyOf(objects);
    }

    @Override
    public long count() {
        return objects.size();
    }

    @Override
    public TestObject get(long index) {
        return objects.get((int) index);
    }
}
