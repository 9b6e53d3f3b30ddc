/**
 * Fetches what URLs name: which may be asked, which addresses may be connected to, and what of an answer is believed. Knows nothing of
 * jobs and buckets.
 */
@NullMarked
package io.millrace.gateway.jobs.fetch;

import org.jspecify.annotations.NullMarked;
