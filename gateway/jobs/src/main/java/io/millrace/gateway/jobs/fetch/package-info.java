/** Fetches URLs from the web and checks URLs, addresses and responses. Independent of jobs and buckets. */
@NullMarked
package io.millrace.gateway.jobs.fetch;

import org.jspecify.annotations.NullMarked;
