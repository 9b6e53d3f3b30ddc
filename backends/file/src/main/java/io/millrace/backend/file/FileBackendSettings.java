package io.millrace.backend.file;

import io.millrace.config.SettingDescription;
import java.nio.file.Path;

/**
 * Settings of a {@code file} backend.
 *
 * @param path the folder whose folders are the buckets
 */
public record FileBackendSettings(
        @SettingDescription(
                value = "The folder that holds the buckets: each sub-folder is a bucket, and the files below it are"
                        + " its objects. Created if missing.",
                example = "/srv/datasets")
        Path path) {}
