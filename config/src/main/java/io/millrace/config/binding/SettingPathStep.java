package io.millrace.config.binding;

import io.millrace.config.problem.SettingPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One step of the path from the root of the settings to a value. */
sealed interface SettingPathStep {
    /** Returns {@code path} extended by this step. */
    String appendTo(String path);

    /**
     * A step to a key of a record.
     *
     * @param defaultTree the default, in case the file has nothing and a variable changes a part of it
     * @param alternative the other key for the same value, as {@code secret-key} and {@code secret-key-file}
     */
    record KeyStep(String name, Optional<SettingsNode> defaultTree, Optional<String> alternative)
            implements SettingPathStep {
        @Override
        public String appendTo(String path) {
            return SettingPath.child(path, name);
        }
    }

    /** A step to an entry of a map. */
    record EntryStep(String name) implements SettingPathStep {
        @Override
        public String appendTo(String path) {
            return SettingPath.child(path, name);
        }
    }

    /** A step to an element of a list. */
    record ElementStep(int index) implements SettingPathStep {
        @Override
        public String appendTo(String path) {
            return SettingPath.element(path, index);
        }
    }

    /** Returns {@code here} extended by one step. */
    static List<SettingPathStep> plus(List<SettingPathStep> here, SettingPathStep next) {
        List<SettingPathStep> longer = new ArrayList<>(here);
        longer.add(next);
        return List.copyOf(longer);
    }

    /** Returns the key path of the steps. */
    static String path(List<SettingPathStep> steps) {
        String path = "";
        for (SettingPathStep step : steps) {
            path = step.appendTo(path);
        }
        return path;
    }
}
