/**
 * The words of object storage, and the interface every backend implements.
 *
 * <p>A {@link io.millrace.backend.spi.Backend} joins small roles: it reads, lists, writes, takes
 * multipart uploads, makes buckets and forwards. What it can do beyond plain
 * reading it declares as {@link io.millrace.backend.spi.Capability}; what it cannot do in one atomic step it refuses
 * with {@link io.millrace.backend.spi.BackendException.Kind#UNSUPPORTED} and never emulates. Everything here is a value
 * that cannot be wrong once it is made, or an interface without a thread of its own.
 */
@NullMarked
package io.millrace.backend.spi;

import org.jspecify.annotations.NullMarked;
