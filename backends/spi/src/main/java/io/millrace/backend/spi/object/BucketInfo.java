package io.millrace.backend.spi.object;

import java.time.Instant;
import java.util.Optional;

/** A bucket of a backend and its creation time, if known. */
public record BucketInfo(BucketName name, Optional<Instant> created) {}
