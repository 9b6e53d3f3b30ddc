/**
 * The backend for plain web servers, read-only: each folder below a URL is a bucket, listed by index pages or a
 * manifest. Only the provider is for others.
 */
@NullMarked
package io.millrace.backend.web;

import org.jspecify.annotations.NullMarked;
