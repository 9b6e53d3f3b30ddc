/**
 * The Hugging Face Hub as a backend: files of repositories at a commit or branch, read-only. Only the provider is for
 * others.
 */
@NullMarked
package io.millrace.backend.hub;

import org.jspecify.annotations.NullMarked;
