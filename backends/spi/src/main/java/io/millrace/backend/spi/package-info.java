/**
 * The interface that every backend implements, with its requests, results and errors.
 *
 * <p>A {@link io.millrace.backend.spi.Backend} joins small roles: it reads, lists and writes objects, takes multipart
 * uploads, creates and deletes buckets, and forwards requests. It declares as {@link
 * io.millrace.backend.spi.Capability} what it can do beyond reading and listing. It refuses with {@link
 * io.millrace.backend.spi.BackendException.FailureKind#UNSUPPORTED} what it cannot do in one atomic step, and never
 * emulates it. Every type is an immutable value that validates itself, or an interface without a thread of its own.
 *
 * <p>What several backends need to keep that promise is here too: pages of listings, the rules of multipart uploads,
 * and what gateways tell each other.
 */
@NullMarked
package io.millrace.backend.spi;

import org.jspecify.annotations.NullMarked;
