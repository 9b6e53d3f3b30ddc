package io.millrace.backend.hub;

import java.time.Instant;

/**
 * A commit of a repository, and its time.
 *
 * @param commit 40 hexadecimal digits
 * @param time in whole seconds
 */
record Revision(String commit, Instant time) {}
