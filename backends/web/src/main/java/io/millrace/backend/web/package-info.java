/** The backend for plain web servers, read-only: each folder below a URL is a bucket. */
@NullMarked
package io.millrace.backend.web;

import org.jspecify.annotations.NullMarked;
