package io.millrace.cache.metadata;

import java.nio.file.Path;

/**
 * Where the metadata store keeps its files.
 *
 * @param store its own folder
 * @param witness a file outside that folder, which remembers how much was written to it
 */
public record MetadataFolders(Path store, Path witness) {
    /**
     * The folders that the settings name.
     *
     * @param data the folder for what they say nothing of
     */
    public static MetadataFolders of(MetadataSettings settings, Path data) {
        return new MetadataFolders(settings.path().orElse(data.resolve("metadata")), data.resolve("metadata-writes"));
    }
}
