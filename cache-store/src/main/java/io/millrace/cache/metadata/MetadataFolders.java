package io.millrace.cache.metadata;

import io.millrace.cache.settings.MetadataSettings;
import java.nio.file.Files;
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

    /**
     * Requires that a store could be kept in a folder, as far as is seen without making it; changes nothing.
     *
     * @throws MetadataFolderException if it could not
     */
    public static void requireUsable(Path folder) throws MetadataFolderException {
        Path there = folder.toAbsolutePath();
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        if (!Files.isDirectory(there)) {
            throw new MetadataFolderException("%s cannot be made, since %s is a file".formatted(folder, there), null);
        }
        if (!Files.isWritable(there)) {
            throw new MetadataFolderException("%s cannot be written".formatted(folder), null);
        }
    }
}
