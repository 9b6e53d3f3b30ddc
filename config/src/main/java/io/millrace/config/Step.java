package io.millrace.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One step of the way from the root of the settings to a value. */
sealed interface Step {
    /** The key path after this step from {@code path}. */
    String from(String path);

    /**
     * To a key of a record.
     *
     * @param preset what is there by default if the file has nothing, so that a variable can change a part of it
     * @param rival the other key that gives the same value, as {@code secret-key} and {@code secret-key-file}
     */
    record OfKey(String name, Optional<Tree> preset, Optional<String> rival) implements Step {
        @Override
        public String from(String path) {
            return KeyPath.child(path, name);
        }
    }

    /** To an entry of a map. */
    record OfEntry(String name) implements Step {
        @Override
        public String from(String path) {
            return KeyPath.child(path, name);
        }
    }

    /** To an element of a list. */
    record OfElement(int index) implements Step {
        @Override
        public String from(String path) {
            return KeyPath.element(path, index);
        }
    }

    /** The way {@code here} and one step more. */
    static List<Step> plus(List<Step> here, Step next) {
        List<Step> longer = new ArrayList<>(here);
        longer.add(next);
        return List.copyOf(longer);
    }

    /** The key path of a way. */
    static String path(List<Step> steps) {
        String path = "";
        for (Step step : steps) {
            path = step.from(path);
        }
        return path;
    }
}
