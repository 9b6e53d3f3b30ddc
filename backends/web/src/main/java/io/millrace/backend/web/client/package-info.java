/** Requests to the web server: credentials, redirects, and what errors mean. */
@NullMarked
package io.millrace.backend.web.client;

import org.jspecify.annotations.NullMarked;
