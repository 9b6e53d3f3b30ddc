package io.millrace.backend.file;

import io.millrace.config.Setting;
import java.nio.file.Path;

/**
 * What the operator says of a {@code file} backend.
 *
 * @param path the folder whose folders are the buckets
 */
public record FileBackendSettings(
        @Setting(
                value =
                        "The folder that holds the buckets: each folder in it is one, and the files below are its objects."
                                + " Made if it is not there.",
                example = "/srv/datasets")
        Path path) {}
