package io.millrace.backend.spi;

import java.time.Instant;
import java.util.Optional;

/** A bucket of a backend. */
public record BucketInfo(BucketName name, Optional<Instant> created) {}
