package io.millrace.config.binding;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The schema of one component of a settings record: a key, or a record whose keys stand among the others. */
sealed interface RecordPart permits SettingDefinition, RecordSchema {
    /** Returns its keys, in declaration order. */
    List<SettingDefinition> keys();

    /** Binds the value from its keys of {@code mapping}, which has others too; null after a problem was reported. */
    @Nullable Object bindFrom(SettingsNode.Mapping mapping, String parent, BindingContext binding);
}
