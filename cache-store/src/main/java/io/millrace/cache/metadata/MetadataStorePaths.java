package io.millrace.cache.metadata;

import io.millrace.cache.settings.MetadataSettings;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The paths of the metadata store.
 *
 * @param store the store's own folder
 * @param witness a file outside that folder that records the number of writes, see {@link StoreWriteCountFile}
 */
public record MetadataStorePaths(Path store, Path witness) {
    /**
     * Returns the paths according to the settings.
     *
     * @param data the base folder of paths that the settings leave out
     */
    public static MetadataStorePaths of(MetadataSettings settings, Path data) {
        return new MetadataStorePaths(
                settings.path().orElse(data.resolve("metadata")), data.resolve("metadata-writes"));
    }

    /**
     * Checks that a store could be created in a folder, without creating it.
     *
     * @throws MetadataFolderException if it could not
     */
    public static void requireUsable(Path folder) throws MetadataFolderException {
        Path existing = folder.toAbsolutePath();
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        if (!Files.isDirectory(existing)) {
            throw new MetadataFolderException(
                    "%s cannot be made, since %s is a file".formatted(folder, existing), null);
        }
        if (!Files.isWritable(existing)) {
            throw new MetadataFolderException("%s cannot be written".formatted(folder), null);
        }
    }
}
