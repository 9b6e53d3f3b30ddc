package io.millrace.cache.metadata;

import io.millrace.cache.settings.MetadataSettings;
import io.millrace.kit.file.FolderPermissions;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
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
        try {
            FolderPermissions.requireCreatable(folder);
        } catch (NotDirectoryException e) {
            throw new MetadataFolderException(
                    "%s cannot be made, since %s is a file".formatted(folder, e.getFile()), e);
        } catch (IOException e) {
            throw new MetadataFolderException("%s cannot be written".formatted(folder), e);
        }
    }
}
